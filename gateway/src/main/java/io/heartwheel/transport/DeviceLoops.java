package io.heartwheel.transport;

import io.heartwheel.liveness.LoopTasks;
import io.heartwheel.session.NewcomerQueue;
import io.heartwheel.session.SessionContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The event loops that own the devices' channels, and what the sessions of each share. Any thread, once built. */
public final class DeviceLoops {
    private final Group group;
    private final List<SessionContext> contexts = new ArrayList<>();
    private final List<SingleThreadEventLoop> loops = new ArrayList<>();
    private final IdentityHashMap<EventExecutor, NewcomerQueue> newcomers = new IdentityHashMap<>();
    /** Accepted, and not yet taken in by their loops. */
    private final AtomicInteger accepted = new AtomicInteger();

    /** Makes what one loop's sessions share. */
    @FunctionalInterface
    public interface ScopeFactory {
        /**
         * @param index of the loop, 0 and up
         * @param loop the loop as the inbox sees it
         */
        SessionContext create(int index, LoopTasks loop);
    }

    /** @param count loops, 1 or more */
    DeviceLoops(IoEngine engine, int count, ScopeFactory factory) {
        group = new Group(count, engine.handlers().get());
        for (EventExecutor executor : group) {
            SingleThreadEventLoop loop = (SingleThreadEventLoop) executor;
            LoopPort port = new LoopPort(loop);
            SessionContext sessionContext = factory.create(loops.size(), port);
            NewcomerQueue queue = new NewcomerQueue(port, System::nanoTime);
            sessionContext.stats().newcomers(queue);
            newcomers.put(loop, queue);
            contexts.add(sessionContext);
            loops.add(loop);
        }
        sleepLong(group);
    }

    /** Netty wakes a loop that has no timer once a second; one with a timer sleeps until that is due. */
    static void sleepLong(MultiThreadIoEventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            loop.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS);
        }
    }

    MultiThreadIoEventLoopGroup group() {
        return group;
    }

    /** The loops, where each takes in newcomers in slices between its reads: a thousand registered in a row are a wait for everybody else. */
    private final class Group extends MultiThreadIoEventLoopGroup {
        Group(int count, IoHandlerFactory handlers) {
            super(count, new DefaultThreadFactory("device-loop"), handlers);
        }

        @Override
        public ChannelFuture register(Channel channel) {
            EventLoop loop = next();
            ChannelPromise registered = new DefaultChannelPromise(channel, loop);
            accepted.incrementAndGet();
            try {
                newcomers(loop).register(new Accepted(loop, registered));
            } catch (RejectedExecutionException ended) {
                accepted.decrementAndGet();
                throw ended;
            }
            return registered;
        }
    }

    private final class Accepted implements NewcomerQueue.Newcomer {
        private final EventLoop loop;
        private final ChannelPromise registered;

        Accepted(EventLoop loop, ChannelPromise registered) {
            this.loop = loop;
            this.registered = registered;
        }

        @Override
        public void run() {
            accepted.decrementAndGet();
            loop.register(registered);
        }

        /** The promise is not broken: Netty's acceptor would log each. */
        @Override
        public void refuse() {
            accepted.decrementAndGet();
            registered.channel().unsafe().closeForcibly();
        }
    }

    /** Connections that were accepted and that their loops have not taken in yet. Any thread. */
    int waitingToBeTakenIn() {
        return accepted.get();
    }

    /** What this loop does for connections that are not established. */
    NewcomerQueue newcomers(EventExecutor loop) {
        return Objects.requireNonNull(newcomers.get(loop), "no device loop");
    }

    /** What the sessions of one listener share, by loop. */
    Map<EventExecutor, SessionContext> scopesThrough(
            int listener, String listenerName, ConnectionPolicy connectionPolicy) {
        IdentityHashMap<EventExecutor, SessionContext> through = new IdentityHashMap<>();
        for (int i = 0; i < loops.size(); i++) {
            through.put(
                    loops.get(i),
                    contexts.get(i)
                            .through(listener, listenerName, connectionPolicy.policy(), connectionPolicy.auth()));
        }
        return through;
    }

    /** What the sessions of each loop share, by index. */
    public List<SessionContext> contexts() {
        return List.copyOf(contexts);
    }

    /** Gives each loop its part of the handshakes under way. */
    void join(Admission admission) {
        for (int i = 0; i < loops.size(); i++) {
            admission.addLoop(loops.get(i), contexts.get(i).stats(), loops.size());
        }
    }

    /** Tasks waiting for the loop of this index. */
    public int pendingTasks(int index) {
        return loops.get(index).pendingTasks();
    }

    /**
     * Runs a task on one of the loops.
     *
     * @throws java.util.concurrent.RejectedExecutionException if they have ended
     */
    public void execute(Runnable task) {
        loops.get(0).execute(task);
    }

    /**
     * Runs a task on the loop of this index.
     *
     * @throws java.util.concurrent.RejectedExecutionException if it has ended
     */
    public void execute(int index, Runnable task) {
        loops.get(index).execute(task);
    }

    /**
     * Runs a task on one of the loops when each of them has ended what it is doing now.
     *
     * @throws java.util.concurrent.RejectedExecutionException if they have ended
     */
    void afterEvery(Runnable task) {
        AtomicInteger busy = new AtomicInteger(loops.size());
        for (SingleThreadEventLoop loop : loops) {
            loop.execute(() -> {
                if (busy.decrementAndGet() == 0) {
                    task.run();
                }
            });
        }
    }

    /** The loop of this index, as its sessions see it. */
    public LoopTasks port(int index) {
        return new LoopPort(loops.get(index));
    }

    void close() {
        loops.forEach(loop -> loop.execute(newcomers(loop)::finish));
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    private record LoopPort(SingleThreadEventLoop loop) implements LoopTasks, NewcomerQueue.Loop {
        @Override
        public void execute(Runnable task) {
            loop.execute(task);
        }

        /** The end of this iteration, then a task for the next, which polls its sockets and serves them before it runs tasks. */
        @Override
        public void executeAfterReads(Runnable task) {
            loop.executeAfterEventLoopIteration(() -> loop.execute(task));
        }

        @Override
        public void executeIn(Runnable task, long nanos) {
            loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public void executeAtTheEnd(Runnable task) {
            loop.executeAfterEventLoopIteration(task);
        }
    }
}
