package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiAnswer.Outcome;
import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other gateways, as the API of this one asks them; and what they ask this one.
 *
 * <pre>
 *   asked here --ask--&gt; bus --&gt; Fleet there: kick    --&gt; {@link ClusterDirectory#answer}, on the engine's thread
 *                                            request --&gt; bounded --&gt; {@code work} --&gt; {@link Served}: its API's own routes
 * </pre>
 *
 * Requests under way at others, and for others, are bounded: {@value #MOST_CALLS} requests and {@value #MOST_BYTES} bytes of them each. A message that comes
 * twice is answered once. Nothing is asked again by itself: what may have been done once is not done twice.
 *
 * <p>Any thread; nothing blocks. Guarded by this, for some steps: what came.
 */
public final class Fleet {
    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);

    static final int MOST_CALLS = 4_096;
    static final long MOST_BYTES = 32L << 20;
    /** A second copy of a message comes soon behind the first, or never. */
    private static final int NUMBERS = 16_384;

    private static final int INTERNAL_ERROR = 500;

    /** Why nothing is answered that depends on who is connected here. */
    public static final String NOT_SURE = "stood still, and makes sure of its devices first";

    /** Who answers the API's requests that came in at other gateways. */
    public interface Served {
        /** Any thread; does not block. */
        CompletionStage<ApiAnswer> answer(ApiCall call);
    }

    private record MessageNumber(NodeId from, long number) {}

    /** Requests under way in one direction. Guarded by itself, for some steps. */
    private static final class UnderWay {
        private int calls;
        private long bytes;

        synchronized boolean enter(int size) {
            if (calls >= MOST_CALLS || bytes + size > MOST_BYTES) {
                return false;
            }
            calls++;
            bytes += size;
            return true;
        }

        synchronized void leave(int size) {
            calls--;
            bytes -= size;
        }
    }

    private final NodeId node;
    private final Engine engine;
    private final DeviceRegistry rows;
    private final EngineWatch watch;
    private final Supplier<List<NodeStatus>> there;
    private final Supplier<List<NodeStatus>> holders;
    private final Predicate<NodeId> gone;
    private final ClusterDirectory directory;
    private final Executor work;
    private final LongSupplier nanoClock;
    private final ClusterCounts counts;
    private volatile boolean knowsNodes;
    private volatile boolean ends;
    private volatile Runnable whenBack = () -> {};
    private final AtomicLong lastNumber = new AtomicLong();
    private final UnderWay atOthers = new UnderWay();
    private final UnderWay forOthers = new UnderWay();
    private volatile LongConsumer turns = nowNanos -> {};
    private volatile BiConsumer<String, Row> written = (deviceId, row) -> {};
    private volatile Served served = call -> CompletableFuture.completedFuture(busy("is starting"));

    /** Guarded by this. */
    private final Set<MessageNumber> came = new LinkedHashSet<>();

    /**
     * Takes over what others ask this node.
     *
     * @param there who is there, in order of name and incarnation
     * @param holders who may have devices, this node among them
     * @param gone whether a node is lost, or has ended
     * @param directory obeys kicks
     * @param work runs what is asked, and goes on with what was answered; any thread
     * @param nanoClock monotonic nanoseconds
     */
    public Fleet(
            NodeId node,
            Engine engine,
            EngineWatch watch,
            Supplier<List<NodeStatus>> there,
            Supplier<List<NodeStatus>> holders,
            Predicate<NodeId> gone,
            ClusterDirectory directory,
            Executor work,
            LongSupplier nanoClock,
            ClusterCounts counts) {
        this.node = node;
        this.engine = engine;
        this.watch = watch;
        this.there = there;
        this.holders = holders;
        this.gone = gone;
        this.directory = directory;
        this.work = work;
        this.nanoClock = nanoClock;
        this.counts = counts;
        rows = new DeviceRegistry(engine.rows());
        engine.bus().serve(this::answer);
        engine.rows().hear((deviceId, row) -> written.accept(new String(deviceId, StandardCharsets.UTF_8), row));
    }

    /** This gateway. */
    public NodeId node() {
        return node;
    }

    // ------------------------------------------------------------------ devices elsewhere

    /**
     * What goes on with the turns of this gateway, about ten times a second while NATS can be asked, and hears of rows. Once.
     *
     * @param each turn, monotonic nanoseconds; one thread
     * @param heard of a device that is {@linkplain #watch watched}, as {@link io.heartwheel.cluster.RowStore#hear} says
     */
    public void follow(LongConsumer each, BiConsumer<String, Row> heard) {
        written = heard;
        turns = each;
    }

    /** Hears of what is written to the row of a device, or does so no more. */
    public void watch(String deviceId, boolean listens) {
        engine.rows().watch(deviceId.getBytes(StandardCharsets.UTF_8), listens);
    }

    /** Monotonic nanoseconds, as turns have them. */
    public long nowNanos() {
        return nanoClock.getAsLong();
    }

    void turn(long nowNanos) {
        turns.accept(nowNanos);
    }

    /** One message was given to the gateway of its device, or was not; one schedule has another gateway. */
    public void count(What given) {
        counts.add(given);
    }

    // ------------------------------------------------------------------ asking

    /** Rows of the devices that the API put into groups. */
    public RowStore members() {
        return engine.members();
    }

    /** Rows of schedules. */
    public RowStore schedules() {
        return engine.schedules();
    }

    /** The most bytes of a message of NATS, a row among them, as far as is known now. */
    public long maxMessageBytes() {
        return engine.bus().maxMessageBytes();
    }

    /** One more is told when NATS is back, and the rows in it may be others than before. */
    public synchronized void onBack(Runnable listener) {
        Runnable others = whenBack;
        whenBack = () -> {
            others.run();
            listener.run();
        };
    }

    void isBack() {
        whenBack.run();
    }

    /** Whether this gateway can tell who is connected to it: it has not stood still since it made sure of it. */
    public boolean isSure() {
        return directory.isSure();
    }

    /** Who is there; fails while nobody can be asked. */
    public CompletionStage<List<NodeStatus>> nodes() {
        return isReachable()
                ? CompletableFuture.completedFuture(there.get())
                : CompletableFuture.failedFuture(unreachable());
    }

    /** Who is there, in order; nobody while nobody can be asked. */
    public List<NodeId> heard() {
        return isReachable() ? there.get().stream().map(NodeStatus::node).toList() : List.of();
    }

    /** From now on the others hear that this gateway ends. */
    public void end() {
        ends = true;
        announce();
    }

    /** Tells the others of this gateway. */
    void announce() {
        for (NodeStatus each : there.get()) {
            if (each.node().equals(node)) {
                engine.membership()
                        .announce(ends ? new NodeStatus(node, each.devices(), NodeStatus.ENDS, each.address()) : each);
            }
        }
    }

    /** Whether this connection of a device is there, as that gateway says; fails if it says nothing. */
    public CompletionStage<Boolean> isAt(NodeId there, String deviceId, long epoch) {
        return directory
                .where(there, deviceId.getBytes(StandardCharsets.UTF_8), NodeBus.PATIENCE_NANOS)
                .thenApply(answer -> answer.outcome() == BusMessage.Outcome.HERE && answer.epoch() == epoch);
    }

    /**
     * Runs it soon, on a thread that may be held for a while: none of a device, nor of the engine.
     *
     * @throws RejectedExecutionException if this gateway ends
     */
    public void run(Runnable task) {
        work.execute(task);
    }

    /** Whether {@link #holders} are all that there may be: not before the rows of their starts were read, nor while nobody can be asked. */
    public boolean knowsHolders() {
        return knowsNodes && isReachable();
    }

    void knowsNodes(boolean now) {
        knowsNodes = now;
    }

    /** Whether others can be asked, as far as is known. */
    public boolean isReachable() {
        return !watch.isDown();
    }

    /**
     * The gateways that may have devices, in order of name and incarnation, this one among them: those that are there, those that are silent, and those that are
     * gone until the ids that they held are given back.
     */
    public List<NodeStatus> holders() {
        return holders.get();
    }

    /** Whether a gateway is lost, or has ended, as far as this one knows; of one that it has never heard of its row is read, and it is not until then. */
    public boolean isGone(NodeId other) {
        return gone.test(other);
    }

    private static EngineException unreachable() {
        return new EngineException(EngineException.Kind.UNREACHABLE, "NATS is not to be had");
    }

    /**
     * The node behind this one among the {@link #holders}.
     *
     * @param after null: before all
     * @return null behind the last; fails while nobody can be asked
     */
    public CompletionStage<@Nullable NodeId> next(@Nullable NodeId after) {
        return nodes().thenApply(live -> holders().stream()
                .map(NodeStatus::node)
                .filter(each -> after == null || each.compareTo(after) > 0)
                .findFirst()
                .orElse(null));
    }

    /**
     * The row of a device that is not here; fails with an {@link EngineException} if it cannot be read.
     *
     * @param latest whether the holder that it named a moment ago has the device no more
     */
    public CompletionStage<Row> locate(String deviceId, boolean latest) {
        return isReachable()
                ? rows.locate(deviceId.getBytes(StandardCharsets.UTF_8), latest)
                : CompletableFuture.failedFuture(unreachable());
    }

    /**
     * Asks a node, once.
     *
     * @param call numbered here
     * @param patienceNanos how long is waited for the answer
     * @return always a value
     */
    public CompletionStage<ApiAnswer> ask(NodeId to, ApiCall call, long patienceNanos) {
        byte[] message = call.numbered(lastNumber.incrementAndGet()).encode();
        NodeBus bus = engine.bus();
        if (message.length > bus.maxMessageBytes()) {
            return CompletableFuture.completedFuture(counted(ApiAnswer.none(
                    Outcome.TOO_LARGE,
                    "a body of " + call.body().length + " bytes, " + message.length
                            + " as a message, and max_payload of NATS is " + bus.maxMessageBytes())));
        }
        if (!atOthers.enter(message.length)) {
            return CompletableFuture.completedFuture(
                    counted(ApiAnswer.none(Outcome.BUSY, "as many requests are at other gateways as there may be")));
        }
        return bus.request(to, message, patienceNanos)
                .handleAsync(
                        (answer, failure) -> {
                            atOthers.leave(message.length);
                            return counted(answer == null ? failed(failure) : ApiAnswer.decode(answer));
                        },
                        work)
                .exceptionally(ending -> counted(ApiAnswer.none(Outcome.LOST, "this gateway ends")));
    }

    private static ApiAnswer failed(@Nullable Throwable failure) {
        EngineException known = EngineException.of(failure);
        boolean gone = known.kind() == EngineException.Kind.NO_NODE;
        return ApiAnswer.none(gone ? Outcome.NO_NODE : Outcome.LOST, String.valueOf(known.getMessage()));
    }

    private ApiAnswer counted(ApiAnswer answer) {
        counts.add(
                switch (answer.outcome()) {
                    case ANSWERED -> What.CALL_ANSWERED;
                    case ABSENT -> What.CALL_ABSENT;
                    case BUSY -> What.CALL_BUSY;
                    case UNSUPPORTED -> What.CALL_UNSUPPORTED;
                    case TOO_LARGE, ANSWER_TOO_LARGE -> What.CALL_TOO_LARGE;
                    case NO_NODE -> What.CALL_NO_NODE;
                    case LOST -> What.CALL_LOST;
                });
        return answer;
    }

    // ------------------------------------------------------------------ being asked

    /** Who answers from now on; until then whoever asks is told that this gateway is busy. */
    public void serve(Served by) {
        served = by;
    }

    private CompletionStage<byte[]> answer(byte[] message) {
        if (!ApiCall.isOne(message)) {
            return CompletableFuture.completedFuture(BusMessage.answer(message, directory::answer));
        }
        ApiCall call;
        try {
            call = ApiCall.decode(message);
        } catch (IllegalArgumentException malformed) {
            return CompletableFuture.completedFuture(BusMessage.Answer.UNKNOWN.encode());
        }
        return answer(call, message.length);
    }

    private CompletionStage<byte[]> answer(ApiCall call, int size) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        if (isRepeat(call)) {
            return answer; // whoever asked gets the answer to the first
        }
        String why = isSure() ? "has as many requests of other gateways as it takes" : NOT_SURE;
        if (!isSure() || !forOthers.enter(size)) {
            counts.add(What.SERVED_BUSY);
            answer.complete(busy(why).encode());
            return answer;
        }
        try {
            work.execute(() -> served(call).whenComplete((known, fault) -> {
                forOthers.leave(size);
                answer.complete(told(known == null ? failed(call, fault) : known));
            }));
        } catch (RejectedExecutionException ending) {
            forOthers.leave(size);
            answer.complete(busy("is ending").encode());
        }
        return answer;
    }

    private ApiAnswer busy(String why) {
        return ApiAnswer.none(Outcome.BUSY, "node " + node.name() + " " + why);
    }

    private CompletionStage<ApiAnswer> served(ApiCall call) {
        try {
            return served.answer(call);
        } catch (RuntimeException fault) {
            return CompletableFuture.failedFuture(fault);
        }
    }

    private static ApiAnswer failed(ApiCall call, @Nullable Throwable fault) {
        LOG.error("cluster: a request of node {} failed", call.from().name(), fault);
        return new ApiAnswer(Outcome.ANSWERED, INTERNAL_ERROR, List.of(), new byte[0]);
    }

    private byte[] told(ApiAnswer answer) {
        counts.add(
                switch (answer.outcome()) {
                    case ABSENT -> What.SERVED_ABSENT;
                    case BUSY -> What.SERVED_BUSY;
                    default -> What.SERVED_ANSWERED;
                });
        byte[] message = answer.encode();
        long most = engine.bus().maxMessageBytes();
        return message.length <= most
                ? message
                : ApiAnswer.none(
                                Outcome.ANSWER_TOO_LARGE,
                                "an answer of " + message.length + " bytes, and max_payload of NATS is " + most)
                        .encode();
    }

    private synchronized boolean isRepeat(ApiCall call) {
        boolean first = came.add(new MessageNumber(call.from(), call.number()));
        if (came.size() > NUMBERS) {
            came.remove(came.iterator().next());
        }
        return !first;
    }
}
