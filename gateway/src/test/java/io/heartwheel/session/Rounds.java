package io.heartwheel.session;

import java.util.ArrayDeque;

/** The rounds of an event loop as a {@link NewcomerQueue} sees them, under virtual time. */
public final class Rounds implements NewcomerQueue.Loop {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Runnable> ends = new ArrayDeque<>();
    private final Runnable beforeEachTask;

    public Rounds() {
        this(() -> {});
    }

    /** @param beforeEachTask run in front of each task of {@link #execute} */
    Rounds(Runnable beforeEachTask) {
        this.beforeEachTask = beforeEachTask;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void executeAtTheEnd(Runnable task) {
        ends.add(task);
    }

    /** This round ends, the next one runs its tasks. */
    public void next() {
        for (int i = ends.size(); i > 0; i--) {
            ends.remove().run();
        }
        for (int i = tasks.size(); i > 0; i--) {
            beforeEachTask.run();
            tasks.remove().run();
        }
    }
}
