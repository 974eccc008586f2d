package io.heartwheel.loadgen.swarm;

/** A worker process with a toy for a player. */
final class ToyWorker {

    private ToyWorker() {}

    /** Plays until its conductor is gone. */
    public static void main(String[] arguments) {
        System.err.println("toy worker begins");
        new WorkerLoop(System.in, System.out, ToyPlayer::of, Limits::ofThisMachine, () -> {}).run();
    }

    /** How to start it: from this test's class path. */
    static WorkerPool pool() {
        return WorkerPool.of(JavaCommand.ofThisProcess(ToyWorker.class.getName()), "worker");
    }
}
