package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.net.HttpError;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.JobProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Endpoints of messages to many devices, and of the jobs that bring them there. Any thread. */
final class JobEndpoints {
    /** The id in the path. */
    static final Parameter<Long> JOB_ID = Parameter.unsigned("job_id", "the job's id");

    static final String UNKNOWN_JOB = "unknown_job";

    private static final Duration LONGEST_AGE = Duration.ofDays(30);
    private static final Parameter<Duration> TIMEOUT = Parameter.duration(
            "timeout",
            Duration.ofMillis(1),
            LONGEST_AGE,
            "how long is waited for each device, from when it is its turn, at most 5m, by default 10s; with store = 1 at most and by default messages.max-age");
    private static final Parameter<Boolean> STORE = Parameter.choice(
                    "store",
                    List.of("0", "1"),
                    "1: keeps it on the disk for each device, also for members that are away")
            .as("1"::equals);
    private static final Parameter<Integer> RATE = Parameter.integer(
            "rate", 1, Broadcast.MOST_RATE, "devices a second at most; without it as fast as they can be served");

    private final AdminPorts ports;

    JobEndpoints(AdminPorts ports) {
        this.ports = ports;
    }

    /** What other gateways ask, which have begun a job for the whole fleet. */
    List<Route> shares() {
        FleetJobs fleet = ports.groups().fleet();
        if (fleet == null) {
            return List.of();
        }
        String path = "/v1/shares/{share}";
        return List.of(
                Route.put(path, "Begins a share.", call -> begun(fleet, call))
                        .scope(Scope.SEND)
                        .takes(GroupEndpoints.GROUP, MessageEndpoints.ACK, TIMEOUT, STORE, RATE)
                        .withBody(MessageEndpoints.PAYLOAD),
                Route.get(path, "A share.", call -> answer(200, fleet.share(share(call)))
                        .now()),
                Route.delete(path, "Ends a share.", call -> answer(202, fleet.endShare(share(call)))
                                .now())
                        .scope(Scope.SEND));
    }

    private CompletionStage<Response> begun(FleetJobs fleet, Request call) {
        Broadcast broadcast = read(call, GroupEndpoints.GROUP.in(call).orElse(null));
        return fleet.beginShare(share(call), broadcast)
                .thenApply(share -> Response.json(202, share))
                .exceptionally(failure -> {
                    if (failure.getCause() instanceof RejectedExecutionException full) {
                        return GroupEndpoints.full(full);
                    }
                    throw new CompletionException(failure);
                });
    }

    private static String share(Request call) {
        return FleetJobs.SHARE.value(call.segment(2));
    }

    List<Route> routes() {
        return List.of(
                start(Route.post(
                        "/v1/groups/{group}/messages", "Brings the body to each member of a group.", this::toGroup)),
                start(Route.post("/v1/messages", "Brings the body to all devices.", this::toAll)),
                Route.get("/v1/jobs", "Jobs under way, and the latest that are over; the newest first.", this::list)
                        .takes(Parameter.LIMIT, Parameter.CURSOR)
                        .answers(200, "a page", Schema.page("jobs", JobJson.SCHEMA)),
                ofOne(Route.get("/v1/jobs/{job_id}", "One job.", this::show).answers(200, "the job", JobJson.SCHEMA)),
                ofOne(Route.delete(
                                "/v1/jobs/{job_id}",
                                "Ends a job: nobody gets the message any more, what is not acknowledged or still stored is taken back.",
                                this::cancel)
                        .scope(Scope.SEND)
                        .answers(202, "it is ending, or over with nothing to be taken back", JobJson.SCHEMA)));
    }

    private static Route ofOne(Route route) {
        return route.refuses(404, UNKNOWN_JOB + ": there was none, or it is forgotten");
    }

    private static Route start(Route route) {
        return route.scope(Scope.SEND)
                .takes(MessageEndpoints.ACK, TIMEOUT, STORE, RATE)
                .withBody(MessageEndpoints.PAYLOAD)
                .answers(202, "a job has begun", JobJson.SCHEMA)
                .refuses(409, "no_store: messages.directory is empty")
                .refuses(413, "too_large: more than protocol.max-payload or admin.max-body")
                .refuses(415, "unsupported_charset: a text that is not UTF-8")
                .refuses(429, "full: as many jobs are under way as may be; or too many wrong tokens");
    }

    // ------------------------------------------------------------------ beginning

    CompletionStage<Response> toGroup(Request call) {
        return begin(call, GroupEndpoints.group(call));
    }

    CompletionStage<Response> toAll(Request call) {
        return begin(call, null);
    }

    private CompletionStage<Response> begin(Request call, @Nullable String group) {
        if (MessageEndpoints.IDEMPOTENCY_KEY.inHeader(call).isPresent()) {
            throw HttpError.badRequest(
                    "Idempotency-Key: is for messages to one device; whether a job has begun, GET /v1/jobs tells");
        }
        Broadcast broadcast = read(call, group);
        FleetJobs fleet = ports.groups().fleet();
        try {
            return fleet == null
                    ? begun(Response.tree(JobJson.view(ports.groups().jobs().start(broadcast))))
                            .now()
                    : fleet.start(broadcast, over -> {}).thenApply(JobEndpoints::begun);
        } catch (RejectedExecutionException full) {
            return GroupEndpoints.full(full).now();
        }
    }

    private static Response begun(ObjectNode job) {
        return Response.json(202, job)
                .with("location", "/v1/jobs/" + job.path("id").asText());
    }

    private Broadcast read(Request call, @Nullable String group) {
        boolean store = STORE.in(call).orElse(false);
        byte[] payload = MessageEndpoints.payload(call, ports.maxPayloadBytes().getAsInt());
        Long proposed = call.proposedId();
        Broadcast broadcast = new Broadcast(
                proposed == null ? ports.pushes().nextId() : proposed,
                group,
                call.isText(),
                payload,
                MessageEndpoints.ACK.in(call).orElse(Push.Ack.SENT),
                timeout(call, store).toNanos(),
                store,
                RATE.in(call).orElse(0));
        if (store && !ports.groups().members().isDurable()) {
            throw new HttpError(409, Outcome.NO_STORE.label(), "messages.directory is empty: nothing is kept");
        }
        return broadcast;
    }

    private Duration timeout(Request call, boolean store) {
        Duration most = store ? ports.groups().maxAge().get() : PushSettings.MAX_TIMEOUT;
        Duration asked = TIMEOUT.in(call).orElse(store ? most : PushSettings.TIMEOUT);
        if (asked.compareTo(most) > 0) {
            throw HttpError.badRequest("timeout = " + HttpError.quote(String.valueOf(call.parameter("timeout")))
                    + ": need at most " + most.toSeconds() + "s" + (store ? " (messages.max-age)" : ""));
        }
        return asked;
    }

    // ------------------------------------------------------------------ jobs

    CompletionStage<Response> list(Request call) {
        int limit = Parameter.limit(call);
        List<JobProgress> some =
                ports.groups().jobs().list(Parameter.CURSOR.in(call).orElse(null), limit + 1);
        List<JobProgress> page = some.subList(0, Math.min(limit, some.size()));
        Long next = some.size() > limit ? page.get(limit - 1).id() : null;
        FleetJobs fleet = ports.groups().fleet();
        return Response.page(
                        "jobs",
                        page.stream()
                                .map(job -> fleet == null ? JobJson.view(job) : fleet.own(job))
                                .toList(),
                        next)
                .now();
    }

    CompletionStage<Response> show(Request call) {
        FleetJobs fleet = ports.groups().fleet();
        return fleet == null
                ? answer(200, ports.groups().jobs().find(jobId(call)).map(JobJson::view))
                        .now()
                : fleet.show(jobId(call)).thenApply(job -> answer(200, job));
    }

    CompletionStage<Response> cancel(Request call) {
        FleetJobs fleet = ports.groups().fleet();
        return fleet == null
                ? answer(202, ports.groups().jobs().cancel(jobId(call)).map(JobJson::view))
                        .now()
                : fleet.cancel(jobId(call)).thenApply(job -> answer(202, job));
    }

    private static long jobId(Request call) {
        return JOB_ID.value(call.segment(2));
    }

    /** @param job a record, a map or a tree */
    static Response answer(int status, Optional<?> job) {
        return job.map(found -> Response.json(status, found))
                .orElseGet(() -> Response.error(404, UNKNOWN_JOB, "there was none of this id, or it is forgotten"));
    }
}
