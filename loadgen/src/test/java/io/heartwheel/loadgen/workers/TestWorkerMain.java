package io.heartwheel.loadgen.workers;

import java.util.List;

/** A worker process with a toy for a worker; several shares are played by processes of their own. */
final class TestWorkerMain {

    private TestWorkerMain() {}

    /** Runs until its coordinator is gone. */
    public static void main(String[] arguments) {
        System.err.println("toy worker begins");
        new WorkerLoop(
                        System.in,
                        System.out,
                        assignment ->
                                assignment.shares().size() == 1 ? TestWorker.of(assignment) : pool().start(assignment),
                        () -> LoadDivisionTest.machine(300, 2),
                        () -> {})
                .run();
    }

    private static JavaCommand command() {
        return JavaCommand.ofThisProcess(TestWorkerMain.class.getName());
    }

    /** How to start it: from this test's class path. */
    static WorkerPool pool() {
        return WorkerPool.of(command(), "worker");
    }

    /** The same as a command for the shell. */
    static String shell() {
        return "exec '" + String.join("' '", command().line(SmallJvm.options(64L << 20), List.of("worker"))) + "'";
    }
}
