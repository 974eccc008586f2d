package io.heartwheel.admin;

import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.sink.JsonRules;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Jobs as JSON. Any thread. */
final class JobJson {
    /** The form of a job. */
    static final Schema SCHEMA = job();

    private JobJson() {}

    private static Schema job() {
        Schema outcome = Schema.oneOf(Outcome.values(), Outcome::label);
        Schema.Field[] counts = Stream.of(Outcome.values())
                .map(each -> Schema.maybe(each.label(), Schema.COUNT))
                .toArray(Schema.Field[]::new);
        Schema.Field[] own = Schema.fields(
                "id:id message_id:id group:text/null store:flag rate:count/null started:time elapsed_ms:count devices:count/null"
                        + " handed:count unanswered:count",
                Schema.field("state", Schema.oneOf(JobProgress.State.values(), JobProgress.State::label)),
                Schema.field("ack", Schema.oneOf(Push.Ack.values(), Push.Ack::label)),
                Schema.field("outcomes", Schema.object(counts)),
                Schema.field(
                        "not_reached", Schema.listOf(Schema.object("device:text", Schema.field("outcome", outcome)))));
        return Schema.object(
                        Stream.of(own, FleetJobs.FIELDS).flatMap(Stream::of).toArray(Schema.Field[]::new))
                .named("Job");
    }

    static Map<String, @Nullable Object> view(JobProgress job) {
        Broadcast asked = job.broadcast();
        Map<String, Integer> outcomes = new LinkedHashMap<>();
        job.outcomes().forEach((outcome, count) -> outcomes.put(outcome.label(), count));
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("id", number(job.id()));
        view.put("message_id", number(asked.messageId()));
        view.put("state", job.state().label());
        view.put("group", asked.group());
        view.put("ack", asked.ack().label());
        view.put("store", asked.store());
        view.put("rate", asked.devicesPerSecond() == 0 ? null : asked.devicesPerSecond());
        view.put("started", Instant.ofEpochMilli(job.startedMillis()).toString());
        view.put("elapsed_ms", TimeUnit.NANOSECONDS.toMillis(job.elapsedNanos()));
        view.put("devices", job.devices() < 0 ? null : job.devices());
        view.put("handed", job.handed());
        view.put("unanswered", job.unanswered());
        view.put("outcomes", outcomes);
        view.put("not_reached", job.notReached().stream().map(JobJson::view).toList());
        return view;
    }

    private static Map<String, Object> view(JobProgress.NotReached device) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("device", device.deviceId());
        view.put("outcome", device.outcome().label());
        return view;
    }

    /** A number, or a string where that is too large for JSON. */
    static Object number(long id) {
        return JsonRules.isNumber(id) ? id : Long.toUnsignedString(id);
    }
}
