package io.heartwheel.cluster.nats;

import io.heartwheel.cluster.Buckets;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.EngineException.Kind;
import io.heartwheel.cluster.Health;
import io.heartwheel.cluster.Membership;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.nats.NatsClient;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.NUID;
import io.nats.client.Options;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.ServerInfo;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine on NATS JetStream. {@link #repair} connects and makes the buckets; the client reconnects by itself from then on, and what is asked meanwhile fails at
 * once.
 *
 * <p>In how many buckets the rows of devices are stands in the metadata of the first bucket since it was made, and counts for all gateways. If they are in others,
 * the server takes rows of gateways' starts alone there: an earlier release, which knows no other bucket, cannot write a device's.
 *
 * <p>Any thread; {@link #repair} on one.
 */
public final class NatsEngine implements Health, NodeBus, Membership {
    private static final Logger LOG = LoggerFactory.getLogger(NatsEngine.class);

    static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration CLEANUP = Duration.ofMillis(250);
    private static final Duration RECONNECT = Duration.ofMillis(250);
    private static final int NO_RESPONDERS = 503;
    private static final int OTHER_SETTINGS = 10_058;
    private static final String MEMBERS = "-groups";
    private static final String SCHEDULES = "-schedules";
    private static final String DEVICES = "-devices-";
    /** Metadata of the first bucket; without it: 1. */
    static final String DEVICE_BUCKETS = "heartwheel-device-buckets";

    private static final int MOST_DEVICE_BUCKETS = 64;
    private static final String OLDEST = "2.10.0";
    private static final Pattern STREAM = Pattern.compile("\"stream\": ?\"([^\"]{1,255})\"");
    private static final long WARN_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ClusterSettings settings;
    private final NodeId node;
    private final NatsClient client;
    private final String bucket;
    private final String prefix;
    private final NatsRows first;
    private final Buckets rows;
    private final NatsRows members;
    private final NatsRows schedules;
    /** These three, and those of devices once it is known where they are. */
    private final List<NatsRows> all = new CopyOnWriteArrayList<>();

    private volatile @Nullable Connection connection;
    private volatile @Nullable Dispatcher dispatcher;
    /** In how many buckets they are, for as long as this process lives; 0: not known yet. Written by who repairs. */
    private volatile int deviceBuckets;

    private volatile boolean hasBucket;
    private volatile boolean closed;
    private volatile Function<byte[], CompletionStage<byte[]>> answers = message -> new CompletableFuture<>();
    private volatile Consumer<NodeStatus> listener = status -> {};

    /**
     * Where nodes answer. The client's own requests would end with the first message that comes: of a stream that has their subject, its acknowledgement.
     */
    private final String inbox = Options.DEFAULT_INBOX_PREFIX + NUID.nextGlobal() + ".";

    private final Map<String, CompletableFuture<byte[]>> asked = new ConcurrentHashMap<>();
    private final AtomicLong lastAsked = new AtomicLong();
    /** Of the thread of answers. */
    private long warnNanos = System.nanoTime();

    /**
     * Connects to nobody yet.
     *
     * @throws IOException if a file for NATS cannot be used
     */
    public NatsEngine(ClusterSettings settings, NodeId node) throws IOException {
        this.settings = settings;
        this.node = node;
        client = NatsClient.open(settings.nats());
        bucket = "heartwheel-" + settings.name();
        prefix = "heartwheel." + settings.name() + ".";
        first = rowsOf(bucket);
        rows = new Buckets(first);
        members = rowsOf(bucket + MEMBERS);
        schedules = rowsOf(bucket + SCHEDULES);
    }

    private NatsRows rowsOf(String name) {
        NatsRows made = new NatsRows(name, this::connected, () -> hasBucket = false);
        all.add(made);
        Dispatcher messages = dispatcher;
        if (messages != null) {
            made.connected(messages);
        }
        return made;
    }

    // ------------------------------------------------------------------ connection

    @Override
    public boolean isReachable() {
        Connection now = connection;
        return hasBucket && now != null && now.getStatus() == Connection.Status.CONNECTED;
    }

    @Override
    public void repair() throws EngineException {
        try {
            Connection now = connection;
            if (now == null || now.getStatus() == Connection.Status.CLOSED) {
                now = connect();
            }
            if (now.getStatus() != Connection.Status.CONNECTED) {
                throw new EngineException(Kind.UNREACHABLE, client.failure(now).orElse(EngineException.NOT_CONNECTED));
            }
            makeBuckets(now); // also if it was there: who asks could not use it
            await(all.stream().map(NatsRows::state)); // one without a leader is made in vain
            await(withDevices().map(rows -> rows.prove(node, rows == first)));
            hasBucket = true;
        } catch (ExecutionException | TimeoutException e) {
            throw failure(e);
        } catch (IOException | JetStreamApiException | IllegalStateException e) {
            throw new EngineException(Kind.UNREACHABLE, String.valueOf(e.getMessage()));
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.UNREACHABLE, "interrupted");
        }
    }

    private static void await(Stream<? extends CompletionStage<?>> answers)
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture.allOf(
                        answers.map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
                .get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Buckets without which no device is admitted. */
    private Stream<NatsRows> withDevices() {
        return all.stream().filter(each -> each != members && each != schedules);
    }

    private Connection connect() throws IOException, InterruptedException {
        Connection fresh = client.connect("heartwheel " + node.name(), PATIENCE, options -> options.maxReconnects(-1)
                .reconnectWait(RECONNECT)
                .reconnectBufferSize(0)
                .maxMessagesInOutgoingQueue(0)
                .requestCleanupInterval(CLEANUP)
                .pingInterval(Duration.ofSeconds(5))
                .reportNoResponders());
        String complaint = complaint(fresh.getServerInfo());
        if (complaint != null) {
            fresh.close();
            throw new IOException(complaint);
        }
        Dispatcher messages = fresh.createDispatcher();
        messages.subscribe(subject(node), message -> answers.apply(message.getData())
                .thenAccept(answer -> reply(fresh, message, answer)));
        messages.subscribe(prefix + "nodes", this::hears);
        fresh.createDispatcher().subscribe(inbox + "*", this::answered);
        dispatcher = messages;
        all.forEach(each -> each.connected(messages));
        hasBucket = false;
        connection = fresh;
        if (closed) {
            fresh.close();
            throw new IOException("closed");
        }
        ServerInfo server = fresh.getServerInfo();
        LOG.info("cluster: NATS {} at {}:{}", server.getVersion(), server.getHost(), server.getPort());
        return fresh;
    }

    /** What is wrong with a server; null: nothing. */
    static @Nullable String complaint(ServerInfo server) {
        return server.isOlderThanVersion(OLDEST)
                ? "NATS " + server.getVersion() + " at " + server.getHost() + ":" + server.getPort()
                        + ": need 2.10 or later"
                : null;
    }

    private void makeBuckets(Connection now) throws IOException, JetStreamApiException {
        JetStreamManagement streams = now.jetStreamManagement(NatsRows.WRITES);
        int wanted = deviceBuckets == 0 ? settings.deviceBuckets() : deviceBuckets;
        StreamConfiguration one = bucket(bucket, "Who holds which device id");
        begin(deviceBuckets(create(
                streams,
                wanted == 1
                        ? one
                        : StreamConfiguration.builder(one)
                                .subjects(first.nodes())
                                .metadata(Map.of(DEVICE_BUCKETS, String.valueOf(wanted)))
                                .build())));
        for (String each : shares(deviceBuckets)) {
            create(streams, bucket(each, "Who holds which device id, a share"));
        }
        create(streams, bucket(bucket + MEMBERS, "Which devices the API put into groups"));
        create(streams, bucket(bucket + SCHEDULES, "Schedules, and which gateway runs each"));
    }

    private StreamConfiguration bucket(String name, String description) {
        return KeyValueConfiguration.builder()
                .name(name)
                .description(description)
                .maxHistoryPerKey(1)
                .storageType(StorageType.File)
                .replicas(settings.replicas())
                .build()
                .getBackingConfig();
    }

    private static StreamInfo create(JetStreamManagement streams, StreamConfiguration wanted)
            throws IOException, JetStreamApiException {
        try {
            return streams.addStream(wanted);
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() != OTHER_SETTINGS) { // it is there, and an operator's affair
                throw e;
            }
            return streams.getStreamInfo(wanted.getName());
        }
    }

    private static int deviceBuckets(StreamInfo first) throws IOException {
        Map<String, String> metadata = first.getConfiguration().getMetadata();
        String count = metadata == null ? null : metadata.get(DEVICE_BUCKETS);
        if (count == null) {
            return 1;
        }
        if (!count.matches("[1-9][0-9]?") || Integer.parseInt(count) > MOST_DEVICE_BUCKETS) {
            throw new IOException("the first bucket says " + DEVICE_BUCKETS + " = " + count + ": need 1.."
                    + MOST_DEVICE_BUCKETS + "; is it of a later release?");
        }
        return Integer.parseInt(count);
    }

    /** Two gateways that look for a row in two buckets would both have its device. */
    private void begin(int count) throws IOException {
        if (deviceBuckets == count) {
            return;
        }
        if (deviceBuckets != 0) {
            throw new IOException("the first bucket was made anew with " + DEVICE_BUCKETS + " = " + count
                    + ", and this gateway began with " + deviceBuckets + ": it has to be restarted");
        }
        if (count != settings.deviceBuckets()) {
            LOG.warn(
                    "cluster: cluster.device-buckets = {} is not used: this fleet was made with {}",
                    settings.deviceBuckets(),
                    count);
        }
        rows.devicesIn(shares(count).stream().map(this::rowsOf).toList());
        deviceBuckets = count;
    }

    /** Buckets of so many shares of the rows of devices; none of one, which is in the first bucket. */
    private List<String> shares(int count) {
        return IntStream.rangeClosed(1, count == 1 ? 0 : count)
                .mapToObj(i -> bucket + DEVICES + i)
                .toList();
    }

    /** @throws CompletionException of an {@link EngineException} if there is none */
    private Connection connected() {
        Connection now = connection;
        if (now == null || now.getStatus() != Connection.Status.CONNECTED || deviceBuckets == 0) {
            throw new CompletionException(new EngineException(Kind.UNREACHABLE, EngineException.NOT_CONNECTED));
        }
        return now;
    }

    private static void reply(Connection to, Message message, byte[] answer) {
        String inbox = message.getReplyTo();
        if (inbox != null) {
            try {
                to.publish(inbox, answer);
            } catch (IllegalStateException gone) {
                LOG.debug("cluster: an answer was not sent: {}", gone.getMessage());
            }
        }
    }

    /** What a request failed with, in our words. */
    static EngineException failure(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null
                && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
            cause = cause.getCause();
        }
        if (cause instanceof EngineException own) {
            return own;
        }
        if (cause instanceof JetStreamStatusException status
                && status.getStatus().getCode() == NO_RESPONDERS) {
            return new EngineException(Kind.NO_NODE, "nobody is there");
        }
        if (cause instanceof JetStreamApiException api) {
            return new EngineException(Kind.UNREACHABLE, "NATS refuses: " + api.getMessage());
        }
        boolean late = cause instanceof TimeoutException || cause instanceof CancellationException;
        return new EngineException(
                Kind.UNREACHABLE, late ? "no answer in time" : "NATS cannot be asked: " + cause.getMessage());
    }

    // ------------------------------------------------------------------ parts

    /** All of it. */
    public Engine engine() {
        return new Engine(rows, members, schedules, this, this, this, this::close);
    }

    // ------------------------------------------------------------------ other nodes

    private String subject(NodeId of) {
        return prefix + "node." + of.name() + "." + Long.toUnsignedString(of.incarnation());
    }

    @Override
    public void serve(Function<byte[], CompletionStage<byte[]>> given) {
        answers = given;
    }

    @Override
    public long maxMessageBytes() {
        Connection now = connection;
        return now == null ? Long.MAX_VALUE : now.getMaxPayload();
    }

    @Override
    public void hear(Consumer<NodeStatus> given) {
        listener = given;
    }

    @Override
    public void announce(NodeStatus status) {
        try {
            connected().publish(prefix + "nodes", status.encode());
        } catch (CompletionException | IllegalStateException gone) {
            LOG.debug("cluster: nobody was told: {}", gone.getMessage());
        }
    }

    private void hears(Message message) {
        NodeStatus status;
        try {
            status = NodeStatus.decode(message.getData());
        } catch (IllegalArgumentException foreign) {
            LOG.debug("cluster: a node's status is not understood: {}", foreign.getMessage());
            return;
        }
        listener.accept(status);
    }

    @Override
    public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        String replyTo = inbox + lastAsked.incrementAndGet();
        asked.put(replyTo, answer);
        try {
            connected().publish(subject(to), replyTo, message);
        } catch (RuntimeException refused) {
            answer.completeExceptionally(refused);
        }
        return answer.orTimeout(patienceNanos, TimeUnit.NANOSECONDS).handle((data, failure) -> {
            asked.remove(replyTo);
            if (failure != null) {
                throw new CompletionException(failure(failure));
            }
            return data;
        });
    }

    /** An answer of a node, or what NATS says instead. */
    private void answered(Message message) {
        byte[] data = message.getData();
        CompletableFuture<byte[]> answer = asked.get(message.getSubject());
        if (data.length > 0 && data[0] == '{') { // an acknowledgement; nothing of ours begins so
            warnOfStream(new String(data, StandardCharsets.UTF_8));
        } else if (answer != null && message.isStatusMessage()) {
            answer.completeExceptionally(new EngineException(Kind.NO_NODE, "nobody is there"));
        } else if (answer != null) {
            answer.complete(data);
        }
    }

    private void warnOfStream(String acknowledgement) {
        long nowNanos = System.nanoTime();
        if (nowNanos - warnNanos >= 0) {
            warnNanos = nowNanos + WARN_AGAIN_NANOS;
            Matcher stream = STREAM.matcher(acknowledgement);
            LOG.warn(
                    "cluster: stream {} of NATS keeps what gateways ask of each other, and hides that one is gone: take {}> out of its subjects",
                    stream.find() ? stream.group(1) : acknowledgement,
                    prefix);
        }
    }

    private void close() {
        closed = true;
        all.forEach(NatsRows::close);
        asked.values().forEach(each -> each.cancel(false));
        Connection now = connection;
        if (now != null) {
            try {
                now.close();
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
