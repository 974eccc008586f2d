package io.heartwheel.cluster.nats;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.EngineException.Kind;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.nats.DeviceTokens;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.PurgeOptions;
import io.nats.client.Subscription;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ApiResponse;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.MessageGetRequest;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.PurgeResponse;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows in a bucket of JetStream, one key a device: two hexadecimal digits of a checksum, a dot, and the id in base64url; one a gateway's start: {@code node},
 * a dot, its name, a dot, and the incarnation. Any thread; nothing blocks.
 *
 * <p>A page has a consumer of its own for as long as it takes, and a thread, {@code heartwheel-cluster-scan}, which is there while it is needed.
 *
 * <p>A write is a message to the subject of its row, so whoever watches a device subscribes to that, and gets it when the server stores it.
 *
 * <p>A read is answered by any server that has a copy and may lag, by seconds on a busy machine; a write goes to the leader, which compares the sequence, and so
 * does a read of the latest row.
 */
final class NatsRows implements RowStore {
    private static final Logger LOG = LoggerFactory.getLogger(NatsRows.class);

    private static final String SEQUENCE = "Nats-Sequence";
    private static final String EXPECTED_SEQUENCE = "Nats-Expected-Last-Subject-Sequence";
    private static final int NOT_FOUND = 404;
    private static final int NO_MESSAGE = 10_037;
    private static final int NO_STREAM = 10_059;
    private static final int WRONG_LAST_SEQUENCE = 10_071;
    static final JetStreamOptions WRITES =
            JetStreamOptions.builder().requestTimeout(NatsEngine.PATIENCE).build();

    private static final String NODES = "node.";
    private static final long SCAN_SECONDS = 10;

    private final String bucket;
    private final String prefix;
    private final ThreadPoolExecutor scans = new ThreadPoolExecutor(
            0,
            1,
            SCAN_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new Thread(task, "heartwheel-cluster-scan"));
    private final Supplier<Connection> connected;
    private final Runnable onNoBucket;
    private volatile boolean foreignTold;
    /** A server that answers has not taken a write: its disk, or what it may take of that, is full. */
    private volatile boolean refused;

    private volatile BiConsumer<byte[], Row> listener = (deviceId, row) -> {};

    // ---- guarded by this
    /** By subject; those of no connection have none. */
    private final Map<String, Optional<Subscription>> watched = new HashMap<>();

    private @Nullable Dispatcher dispatcher;

    /**
     * @param connected throws a {@link CompletionException} of an {@link EngineException} if nobody is
     * @param onNoBucket told when there may be no bucket
     */
    NatsRows(String bucket, Supplier<Connection> connected, Runnable onNoBucket) {
        this.bucket = bucket;
        prefix = "$KV." + bucket + ".";
        this.connected = connected;
        this.onNoBucket = onNoBucket;
    }

    /** Subjects of the rows of gateways' starts. */
    String nodes() {
        return prefix + NODES + ">";
    }

    private String subject(byte[] deviceId) {
        return NodeRow.isKey(deviceId)
                ? prefix + NODES + NodeRow.text(deviceId)
                : prefix + DeviceTokens.hash(deviceId) + "." + DeviceTokens.whole(deviceId);
    }

    @Override
    public CompletionStage<Row> read(byte[] deviceId) {
        return ask("DIRECT.GET.KV_" + bucket + "." + subject(deviceId), new byte[0], this::row);
    }

    @Override
    public CompletionStage<Row> readLatest(byte[] deviceId) {
        byte[] last = MessageGetRequest.lastForSubject(subject(deviceId)).serialize();
        return ask("STREAM.MSG.GET.KV_" + bucket, last, this::latest);
    }

    private <T> CompletionStage<T> ask(String what, byte[] body, Function<Message, T> reading) {
        return request(to -> to.requestWithTimeout("$JS.API." + what, body, NatsEngine.PATIENCE), reading);
    }

    private <T> CompletionStage<T> request(
            Function<Connection, CompletionStage<Message>> asking, Function<Message, T> reading) {
        try {
            return asking.apply(connected.get()).handle((answer, failure) -> {
                if (answer == null) {
                    throw new CompletionException(bucketFailure(failure));
                }
                return reading.apply(answer);
            });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(NatsEngine.failure(e));
        }
    }

    private Row latest(Message answer) {
        MessageInfo stored = new MessageInfo(answer, null, false);
        if (!stored.hasError()) {
            byte[] bytes = stored.getData();
            return Row.decode(bytes == null ? new byte[0] : bytes, stored.getSeq()); // as an operator's tool deletes it
        }
        if (stored.getApiErrorCode() == NO_MESSAGE) {
            return Row.NONE;
        }
        throw noBucket(stored.getError());
    }

    private CompletionException noBucket(String what) {
        onNoBucket.run();
        return new CompletionException(new EngineException(Kind.UNREACHABLE, "bucket " + bucket + " answers " + what));
    }

    private Row row(Message answer) {
        if (answer.isStatusMessage()) {
            int code = answer.getStatus().getCode();
            if (code == NOT_FOUND) {
                return Row.NONE;
            }
            throw noBucket(String.valueOf(code));
        }
        Headers headers = answer.getHeaders();
        String sequence = headers == null ? null : headers.getFirst(SEQUENCE);
        if (sequence == null) {
            throw new CompletionException(new EngineException(Kind.UNREACHABLE, "a row without a sequence"));
        }
        return Row.decode(answer.getData(), Long.parseLong(sequence));
    }

    /** A request as any other: what the client itself does to publish waits for a quarter of a second, and a busy server needs longer. */
    @Override
    public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
        Headers expecting = new Headers().add(EXPECTED_SEQUENCE, String.valueOf(revision));
        return request(
                to -> to.requestWithTimeout(subject(deviceId), expecting, row.encode(), NatsEngine.PATIENCE),
                this::isWritten);
    }

    private boolean isWritten(Message answer) {
        try {
            return new PublishAck(answer).getSeqno() > 0;
        } catch (JetStreamApiException refused) {
            if (refused.getApiErrorCode() == WRONG_LAST_SEQUENCE) {
                return false;
            }
            this.refused = true;
            throw new CompletionException(NatsEngine.failure(refused));
        } catch (IOException unknown) {
            throw new CompletionException(NatsEngine.failure(unknown));
        }
    }

    @Override
    public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
        CompletableFuture<List<Entry>> answer = new CompletableFuture<>();
        try {
            scans.execute(() -> {
                try {
                    answer.complete(scan(nodesAlone, after, most));
                } catch (InterruptedException end) {
                    answer.completeExceptionally(new EngineException(Kind.UNREACHABLE, "interrupted"));
                } catch (Exception | Error e) {
                    if (e instanceof JetStreamApiException api && api.getApiErrorCode() == NO_STREAM) {
                        onNoBucket.run();
                    }
                    answer.completeExceptionally(NatsEngine.failure(e));
                }
            });
        } catch (RejectedExecutionException ended) {
            answer.completeExceptionally(new EngineException(Kind.UNREACHABLE, "closed"));
        }
        return answer;
    }

    @Override
    public CompletionStage<State> state() {
        return ask("STREAM.INFO.KV_" + bucket, new byte[0], answer -> {
            StreamInfo stream = sound(new StreamInfo(answer));
            return new State(
                    stream.getCreateTime().toInstant().toEpochMilli(),
                    stream.getStreamState().getLastSequence(),
                    stream.getStreamState().getMsgCount());
        });
    }

    @Override
    public CompletionStage<?> purge(byte[] deviceId, long revision) {
        byte[] below = PurgeOptions.builder()
                .subject(subject(deviceId))
                .sequence(revision + 1)
                .build()
                .serialize();
        return ask("STREAM.PURGE.KV_" + bucket, below, answer -> sound(new PurgeResponse(answer)));
    }

    private <T extends ApiResponse<T>> T sound(T answer) {
        if (answer.getApiErrorCode() == NO_STREAM) {
            throw noBucket(answer.getError());
        }
        if (answer.hasError()) {
            throw new CompletionException(
                    new EngineException(Kind.UNREACHABLE, "bucket " + bucket + " answers " + answer.getError()));
        }
        return answer;
    }

    /**
     * After a write that was refused writes the row of this node as it is: nothing else tells whether the server takes writes again.
     *
     * @param isPlace whether that row belongs here; else it is removed
     */
    CompletionStage<?> prove(NodeId node, boolean isPlace) {
        if (!refused) {
            return CompletableFuture.completedFuture(null);
        }
        byte[] key = NodeRow.key(node);
        return readLatest(key)
                .thenCompose(row -> write(key, row.node() == null ? NodeRow.living(row, node) : row, row.revision()))
                .thenCompose(written -> {
                    refused = false;
                    return isPlace ? CompletableFuture.completedFuture(null) : purge(key, Long.MAX_VALUE - 1);
                });
    }

    private List<Entry> scan(boolean nodesAlone, long after, int most)
            throws IOException, JetStreamApiException, InterruptedException {
        Connection now = connected.get();
        String stream = "KV_" + bucket;
        ConsumerConfiguration.Builder wanted = ConsumerConfiguration.builder()
                .ackPolicy(AckPolicy.None)
                .deliverPolicy(DeliverPolicy.ByStartSequence)
                .startSequence(after + 1)
                .memStorage(true)
                .numReplicas(1)
                .inactiveThreshold(Duration.ofSeconds(SCAN_SECONDS));
        if (nodesAlone) { // without a filter the server need not count what is behind it
            wanted.filterSubject(nodes());
        }
        JetStreamManagement streams = now.jetStreamManagement(WRITES);
        ConsumerInfo consumer = streams.createConsumer(stream, wanted.build());
        JetStreamSubscription messages =
                now.jetStream(WRITES).subscribe(null, PullSubscribeOptions.fastBind(stream, consumer.getName()));
        try {
            int count = (int) Math.min(most, consumer.getNumPending());
            List<Entry> entries = new ArrayList<>(count);
            if (count > 0) {
                messages.pullExpiresIn(count, NatsEngine.PATIENCE);
            }
            for (int i = 0; i < count; i++) {
                Message message = messages.nextMessage(NatsEngine.PATIENCE);
                if (message == null) { // rows that were counted are written again meanwhile
                    break;
                }
                byte[] key = key(message.getSubject());
                entries.add(new Entry(
                        key,
                        Row.decode(
                                key.length == 0 ? key : message.getData(),
                                message.metaData().streamSequence()),
                        message.metaData().timestamp().toInstant().toEpochMilli()));
            }
            if (count > 0 && entries.isEmpty()) {
                throw new IOException("no row came");
            }
            return entries;
        } finally {
            messages.unsubscribe();
            streams.deleteConsumer(stream, consumer.getName());
        }
    }

    /** Empty if it is none of a gateway. */
    private byte[] key(String subject) {
        String text = subject.substring(prefix.length());
        try {
            byte[] key = text.startsWith(NODES)
                    ? NodeRow.key(text.substring(NODES.length()))
                    : Base64.getUrlDecoder().decode(text.substring(text.indexOf('.') + 1));
            if (subject.equals(subject(key))) {
                return key;
            }
        } catch (IllegalArgumentException foreign) {
            // as another that is none
        }
        if (!foreignTold) {
            foreignTold = true;
            LOG.warn("cluster: key {} in bucket {} is none of a gateway, and is left alone", text, bucket);
        }
        return new byte[0];
    }

    // ------------------------------------------------------------------ what others write

    @Override
    public void hear(BiConsumer<byte[], Row> given) {
        listener = given;
    }

    @Override
    public synchronized void watch(byte[] deviceId, boolean listens) {
        String subject = subject(deviceId);
        if (listens) {
            watched.computeIfAbsent(subject, this::subscribe);
            return;
        }
        Optional<Subscription> subscribed = watched.remove(subject);
        Dispatcher by = dispatcher;
        if (by != null && subscribed != null && by.isActive()) {
            subscribed.ifPresent(by::unsubscribe);
        }
    }

    /** There is a new connection: what is watched is watched there; it does so again by itself when it reconnects. */
    synchronized void connected(Dispatcher fresh) {
        dispatcher = fresh;
        watched.replaceAll((subject, before) -> subscribe(subject));
    }

    private Optional<Subscription> subscribe(String subject) {
        Dispatcher by = dispatcher;
        return by == null || !by.isActive() ? Optional.empty() : Optional.of(by.subscribe(subject, this::written));
    }

    private void written(Message message) {
        Row row = Row.decode(message.getData(), 0);
        listener.accept(key(message.getSubject()), row);
    }

    /** No page is begun any more; one under way fails. */
    void close() {
        scans.shutdownNow();
    }

    /** Nobody listens where the bucket should be. */
    private EngineException bucketFailure(@Nullable Throwable failure) {
        EngineException known =
                failure == null ? new EngineException(Kind.UNREACHABLE, "no answer") : NatsEngine.failure(failure);
        if (known.kind() == Kind.NO_NODE) {
            onNoBucket.run();
            return new EngineException(Kind.UNREACHABLE, "bucket " + bucket + " is not there, or has no leader");
        }
        return known;
    }
}
