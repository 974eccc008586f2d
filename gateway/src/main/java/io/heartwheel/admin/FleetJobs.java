package io.heartwheel.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.JobProgress.State;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.push.group.Share;
import io.netty.handler.codec.http.HttpMethod;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of the whole fleet: each gateway has its share, under one message id, and where the job was begun they are summed up.
 *
 * <pre>
 *   begun here --PUT /v1/shares/KEY--&gt;  every other gateway that may have devices: those that are connected to it
 *       |                                    | when each has begun, or is named as missing
 *       +---- own share, then &lt;--------------+    those connected here, and members that the API made and no share has
 *
 *   a device that has moved when it is its turn     the message is carried to the gateway of its row, under the same id
 *   progress --GET, end --DELETE /v1/shares/KEY--&gt;  every share that is not over, as far as is known here
 * </pre>
 *
 * A share is begun once for a key, so whose answer was lost is found by the next look. It goes on by itself if the gateway where the job was begun is gone.
 *
 * <p>Any thread; nothing blocks. Guarded by this, for some steps: the shares of others.
 */
public final class FleetJobs {
    /** Key of a share. */
    static final Parameter<String> SHARE = Parameter.text(
            "share",
            "[A-Za-z0-9_-]{1,32}\\.[0-9a-f]{16}\\.[0-9a-f]{16}",
            "node.incarnation.job",
            "the gateway where the job was begun, and the job's id there",
            "gw-1.000660bb98de3c30.000660bb98de3c31");

    /** Of the answer to who began a share. */
    private static final String KNOWS_MEMBERS = "knows_members";

    /** The state of a job is the first of those of its shares. */
    private static final List<State> FIRST =
            List.of(State.RUNNING, State.WAITING, State.CANCELLING, State.CANCELLED, State.DONE);

    /** What a job has in a fleet beside what it has in a gateway that is alone. */
    static final Schema.Field[] FIELDS =
            Schema.fields("from?:text nodes?:text[]", Schema.maybe("missing", Schema.listOf(FleetDevices.MISSING)));

    private final Fleet fleet;
    private final Jobs jobs;
    private final FleetPushes pushes;
    private final FleetMembers members;
    private final Map<Long, Whole> begunHere = new ConcurrentHashMap<>();
    /** Keys of the shares in jobs of others, by their ids here. Guarded by this. */
    private final Map<Long, String> ofOthers = new HashMap<>();

    /** @param pushes to devices that have moved */
    public FleetJobs(Fleet fleet, Jobs jobs, FleetPushes pushes, FleetMembers members) {
        this.fleet = fleet;
        this.jobs = jobs;
        this.pushes = pushes;
        this.members = members;
    }

    /** Members of groups. */
    public FleetMembers members() {
        return members;
    }

    /**
     * A job that was begun here.
     *
     * @param rate of all shares together
     * @param blind whether there may be gateways and members that this one has not heard of
     */
    private record Whole(String key, int rate, List<Part> parts, AtomicBoolean blind) {
        /** Of its shares at others, by segments. */
        List<String> path() {
            return List.of("v1", "shares", key);
        }

        /** Whether the share of the gateway that has a member began when it had it already, and knew the members. Epoch and share are of one clock. */
        boolean covers(Row row) {
            return parts.stream()
                    .anyMatch(
                            part -> part.node.equals(row.node()) && Long.compareUnsigned(row.epoch(), part.began) < 0);
        }
    }

    /** Share of another gateway, as it was told last. */
    private static final class Part {
        final NodeId node;
        volatile ObjectNode told = Response.tree(Map.of());
        /** The id of the job there: microseconds since 1970. 0: it is not known, or not all members were known there. */
        volatile long began;
        /** Why nothing is known of it; null: it is. */
        volatile @Nullable String missing = "it has not answered yet";

        /** It said why it does not begin. */
        private volatile boolean refused;

        Part(NodeId node) {
            this.node = node;
        }

        boolean isOver() {
            return missing == null && state(told).isOver();
        }

        void answered(ApiAnswer answer) {
            boolean answered = answer.outcome() == ApiAnswer.Outcome.ANSWERED;
            if (isOver() && !(answered && answer.status() < 300)) {
                return; // it is counted, whatever became of its gateway
            }
            if (!answered) {
                missing = FleetDevices.why(answer);
                return;
            }
            ObjectNode body = Response.tree(answer.body());
            if (answer.status() < 300) {
                told = body;
                began = body.path(KNOWS_MEMBERS).asBoolean()
                        ? Long.parseUnsignedLong(body.path("id").asText())
                        : began;
                missing = null;
                return;
            }
            String code = body.path("code").asText();
            if (!(refused && code.equals(JobEndpoints.UNKNOWN_JOB))) {
                missing = code.equals("not_found")
                        ? "it is of an earlier release and takes no part"
                        : body.path("detail").asText("it failed");
                refused = true;
            }
        }
    }

    // ------------------------------------------------------------------ begun here

    /**
     * Begins one at all gateways.
     *
     * @param whenOver called once when this gateway's own share is over, quick; by then each other has begun its own, or is missing
     * @return its progress, when the others have begun their shares
     * @throws RejectedExecutionException if as many are under way here as may be: nothing has begun
     */
    public CompletionStage<ObjectNode> start(Broadcast broadcast, Consumer<JobProgress> whenOver) {
        List<NodeStatus> all = fleet.holders();
        List<Part> parts = all.stream()
                .filter(each -> !each.node().equals(fleet.node()))
                .map(each -> new Part(each.node()))
                .toList();
        CompletableFuture<@Nullable Void> begin = new CompletableFuture<>();
        CompletableFuture<Whole> whole = new CompletableFuture<>();
        Share own = new Share(true, push -> pushes.send(push, whole.join()::covers), begin);
        JobProgress begun = jobs.start(broadcast.at(rate(broadcast, all, fleet.node())), own, whenOver);
        begunHere.keySet().removeIf(id -> jobs.find(id).isEmpty());
        Whole job = new Whole(key(begun.id()), broadcast.devicesPerSecond(), parts, new AtomicBoolean(true));
        begunHere.put(begun.id(), job);
        whole.complete(job);
        return each(job, part -> begin(job, part, broadcast.at(rate(broadcast, all, part.node))))
                .thenCombine(known(broadcast), (asked, known) -> {
                    job.blind().set(!known || !fleet.knowsHolders());
                    return sum(job, begun);
                })
                .whenComplete((told, fault) -> begin.complete(null));
    }

    private CompletionStage<Boolean> known(Broadcast broadcast) {
        return broadcast.group() == null && !broadcast.store()
                ? CompletableFuture.completedFuture(true)
                : members.refresh();
    }

    private String key(long id) {
        HexFormat hex = HexFormat.of();
        return fleet.node().name() + "." + hex.toHexDigits(fleet.node().incarnation()) + "." + hex.toHexDigits(id);
    }

    /** Each has one a second, and a part of the rest as large as its part of the devices. */
    private static int rate(Broadcast broadcast, List<NodeStatus> all, NodeId node) {
        long rest = (long) broadcast.devicesPerSecond() - all.size();
        if (rest <= 0) {
            return Math.min(1, broadcast.devicesPerSecond());
        }
        long devices = all.stream().mapToLong(NodeStatus::devices).sum();
        long its = all.stream()
                .filter(each -> each.node().equals(node))
                .mapToLong(NodeStatus::devices)
                .sum();
        return (int) (1 + (devices == 0 ? rest / all.size() : rest * its / devices));
    }

    /** The progress of a job, or of this gateway's share of it; empty if it is not known here. */
    CompletionStage<Optional<ObjectNode>> show(long id) {
        return asked(id, HttpMethod.GET, jobs.find(id));
    }

    /** Ends a job before its time; of one that was begun elsewhere, this gateway's share. */
    CompletionStage<Optional<ObjectNode>> cancel(long id) {
        return asked(id, HttpMethod.DELETE, jobs.cancel(id));
    }

    private CompletionStage<Optional<ObjectNode>> asked(long id, HttpMethod method, Optional<JobProgress> own) {
        Whole job = begunHere.get(id);
        if (job == null || own.isEmpty()) {
            return CompletableFuture.completedFuture(own.map(this::own));
        }
        Request call = FleetPushes.request(method, job.path(), Map.of(), false, new byte[0]);
        return each(job, part -> part.isOver() && method.equals(HttpMethod.GET) ? done() : ask(part, call, 0))
                .thenApply(asked -> Optional.of(sum(job, jobs.find(id).orElseGet(own::get))));
    }

    private static CompletableFuture<@Nullable Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private static CompletableFuture<@Nullable Void> each(
            Whole job, Function<Part, CompletionStage<@Nullable Void>> question) {
        return CompletableFuture.allOf(job.parts().stream()
                .map(question)
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture<?>[]::new));
    }

    private CompletionStage<@Nullable Void> begin(Whole job, Part part, Broadcast share) {
        Map<String, String> query = FleetPushes.query(share.ack(), share.timeoutNanos(), share.store());
        if (share.devicesPerSecond() > 0) {
            query.put("rate", String.valueOf(share.devicesPerSecond()));
        }
        String group = share.group();
        if (group != null) {
            query.put("group", group);
        }
        Request call = FleetPushes.request(HttpMethod.PUT, job.path(), query, share.text(), share.payload());
        return ask(part, call, share.messageId());
    }

    private CompletionStage<@Nullable Void> ask(Part part, Request call, long messageId) {
        return fleet.ask(part.node, call.carried(fleet.node(), messageId), NodeBus.PATIENCE_NANOS)
                .thenAccept(part::answered)
                .exceptionally(fault -> {
                    part.missing = "its answer is not understood";
                    return null;
                });
    }

    // ------------------------------------------------------------------ progress

    /** This gateway's share alone. */
    ObjectNode own(JobProgress job) {
        ObjectNode view = Response.tree(JobJson.view(job));
        String key;
        synchronized (this) {
            key = ofOthers.get(job.id());
        }
        return key == null ? view : view.put("from", key.substring(0, key.indexOf('.')));
    }

    private ObjectNode sum(Whole job, JobProgress own) {
        ObjectNode sum = own(own);
        ArrayNode nodes = sum.putArray("nodes").add(fleet.node().name());
        ArrayNode missing = sum.putArray("missing");
        for (Part part : job.parts()) {
            String why = part.missing;
            if (why == null) {
                add(sum, part.told);
                nodes.add(part.node.name());
            } else {
                FleetDevices.missing(missing, part.node.name(), part.node.incarnation(), why);
            }
        }
        if (job.blind().get()) {
            FleetDevices.missing(
                    missing,
                    "",
                    0,
                    "NATS was not to be had, or this gateway had just started: gateways and members that it has not heard of are left out");
        }
        return job.rate() == 0 ? sum : sum.put("rate", job.rate());
    }

    private static void add(ObjectNode sum, ObjectNode part) {
        if (sum.path("devices").isNull() || part.path("devices").isNull()) {
            sum.putNull("devices");
        } else {
            add(sum, part, "devices");
        }
        add(sum, part, "handed");
        add(sum, part, "unanswered");
        ObjectNode outcomes = (ObjectNode) sum.get("outcomes");
        part.path("outcomes")
                .fieldNames()
                .forEachRemaining(name -> add(outcomes, (ObjectNode) part.get("outcomes"), name));
        ArrayNode notReached = (ArrayNode) sum.get("not_reached");
        for (JsonNode device : part.path("not_reached")) {
            if (notReached.size() < JobProgress.MOST_NOT_REACHED) {
                notReached.add(device);
            }
        }
        sum.put(
                "elapsed_ms",
                Math.max(
                        sum.path("elapsed_ms").asLong(), part.path("elapsed_ms").asLong()));
        State first = Stream.of(state(sum), state(part))
                .min((one, other) -> FIRST.indexOf(one) - FIRST.indexOf(other))
                .orElseThrow();
        sum.put("state", first.label());
    }

    private static void add(ObjectNode sum, ObjectNode part, String count) {
        sum.put(count, sum.path(count).asLong() + part.path(count).asLong());
    }

    private static State state(ObjectNode job) {
        String label = job.path("state").asText();
        return Stream.of(State.values())
                .filter(each -> each.label().equals(label))
                .findFirst()
                .orElse(State.RUNNING);
    }

    // ------------------------------------------------------------------ shares in jobs that were begun elsewhere

    /**
     * Begins one, unless there is one of this key.
     *
     * @return the share, and whether this gateway knows all members; fails with a {@link RejectedExecutionException} as the cause if as many jobs are under way as
     *     may be
     */
    CompletionStage<ObjectNode> beginShare(String key, Broadcast broadcast) {
        return known(broadcast).thenApply(known -> Response.tree(JobJson.view(begin(key, broadcast)))
                .put(KNOWS_MEMBERS, known));
    }

    private synchronized JobProgress begin(String key, Broadcast broadcast) {
        Optional<JobProgress> before = ofKey(key).flatMap(jobs::find);
        if (before.isPresent()) {
            return before.get();
        }
        ofOthers.keySet().removeIf(id -> jobs.find(id).isEmpty());
        Share own = new Share(false, push -> pushes.send(push, row -> false), done());
        JobProgress begun = jobs.start(broadcast, own, over -> {});
        ofOthers.put(begun.id(), key);
        return begun;
    }

    /** One of them; empty if none of this key is known. */
    Optional<ObjectNode> share(String key) {
        return ofKey(key).flatMap(jobs::find).map(this::own);
    }

    /** Ends one before its time. */
    Optional<ObjectNode> endShare(String key) {
        return ofKey(key).flatMap(jobs::cancel).map(this::own);
    }

    private synchronized Optional<Long> ofKey(String key) {
        return ofOthers.entrySet().stream()
                .filter(each -> each.getValue().equals(key))
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
