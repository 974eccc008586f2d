package io.heartwheel.admin;

import io.heartwheel.event.Snapshot;
import io.heartwheel.presence.Snapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Endpoints of snapshots. Any thread; all answers come at once. */
final class PresenceEndpoints {
    private final Snapshots snapshots;

    PresenceEndpoints(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    List<Route> routes() {
        Schema cause = Schema.oneOf(Snapshot.Cause.values(), Snapshot.Cause::label);
        Schema progress = Schema.object(
                        "running:count/null devices:count told:count waiting:count/null ended:count/null abandoned:count",
                        Schema.field("cause", cause.orNull()))
                .named("SnapshotProgress");
        Schema asked = Schema.object("snapshot:count joined:flag").named("SnapshotAsked");
        return List.of(
                Route.get(
                                "/v1/presence/snapshot",
                                "The snapshot that runs, the one that waits, the latest that ended.",
                                this::show)
                        .answers(200, "the snapshots", progress),
                Route.post("/v1/presence/snapshot", "Tells each connected device as an event.", this::ask)
                        .answers(202, "asked for", asked));
    }

    CompletionStage<Response> ask(Request call) {
        Snapshots.Asked asked = snapshots.ask(Snapshot.Cause.ASKED);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("snapshot", asked.snapshot());
        view.put("joined", asked.joined());
        return Response.json(202, view).now();
    }

    CompletionStage<Response> show(Request call) {
        Snapshots.Progress progress = snapshots.progress();
        Snapshot.Cause cause = progress.cause();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("running", orNull(progress.running()));
        view.put("cause", cause == null ? null : cause.label());
        view.put("devices", progress.devices());
        view.put("told", progress.told());
        view.put("waiting", orNull(progress.waiting()));
        view.put("ended", orNull(progress.ended()));
        view.put("abandoned", progress.abandoned());
        return Response.json(view).now();
    }

    private static @Nullable Object orNull(long number) {
        return number == 0 ? null : number;
    }
}
