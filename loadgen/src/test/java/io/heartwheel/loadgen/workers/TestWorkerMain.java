package io.heartwheel.loadgen.workers;

/** A worker process with a toy for a worker. */
final class TestWorkerMain {

    private TestWorkerMain() {}

    /** Runs until its coordinator is gone. */
    public static void main(String[] arguments) {
        System.err.println("toy worker begins");
        new WorkerLoop(System.in, System.out, TestWorker::of, MachineLimits::ofThisMachine, () -> {}).run();
    }

    /** How to start it: from this test's class path. */
    static WorkerPool pool() {
        return WorkerPool.of(JavaCommand.ofThisProcess(TestWorkerMain.class.getName()), "worker");
    }
}
