package io.heartwheel.admin;

import io.heartwheel.auth.Grant;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Endpoints of groups and their members. Any thread. */
final class GroupEndpoints {
    /** The name in the path. */
    static final Parameter<String> GROUP = Parameter.text(
            "group",
            "[A-Za-z0-9._:-]{1," + Grant.LONGEST_NAME + "}",
            "a name of 1.." + Grant.LONGEST_NAME + " characters of [A-Za-z0-9._:-]",
            "a group's name",
            "site-7");

    private static final String NOT_STORED = "not_stored: the disk does not take it; in a fleet NATS";

    private final GroupMembers members;
    /** Null: this gateway is alone. */
    private final @Nullable FleetMembers fleet;

    GroupEndpoints(GroupPorts groups) {
        members = groups.members();
        FleetJobs jobs = groups.fleet();
        fleet = jobs == null ? null : jobs.members();
    }

    List<Route> routes() {
        Schema member = Schema.object(
                        "device:text connected:flag", Schema.field("from", Schema.listOf(Schema.oneOf("api", "grant"))))
                .named("GroupMember");
        return List.of(
                Route.get(
                                "/v1/groups/{group}/devices",
                                "Members of a group, page by page: connected devices by their grants, and those that the API made members.",
                                this::list)
                        .takes(Parameter.LIMIT, Parameter.CURSOR)
                        .answers(200, "a page", Schema.page("devices", member)),
                Route.put(
                                "/v1/groups/{group}/devices/{device_id}",
                                "Makes a device a member, whether it is connected or not.",
                                this::add)
                        .answers(
                                200,
                                "it is one; durable: also after a restart",
                                Schema.object("group:text device:text durable:flag"))
                        .refuses(429, "full: as many are members as may be, or the device is in as many groups")
                        .refuses(503, NOT_STORED),
                Route.delete(
                                "/v1/groups/{group}/devices/{device_id}",
                                "The device is no member any more, as far as the API made it one.",
                                this::remove)
                        .answers(204, new Route.Answer("it is none", List.of(), null))
                        .refuses(404, "not_a_member: the API did not make it one")
                        .refuses(503, NOT_STORED));
    }

    /** The group in the path. */
    static String group(Request call) {
        return GROUP.value(call.segment(2));
    }

    private static String deviceId(Request call) {
        return DeviceEndpoints.DEVICE_ID.value(call.segment(4));
    }

    CompletionStage<Response> list(Request call) {
        return fleet == null ? page(call).now() : fleet.refresh().thenApply(known -> page(call));
    }

    private Response page(Request call) {
        GroupMembers.Page page =
                members.page(group(call), Parameter.CURSOR.in(call).orElse(null), Parameter.limit(call));
        return Response.page(
                "devices", page.members().stream().map(GroupEndpoints::view).toList(), page.next());
    }

    private static Map<String, Object> view(GroupMembers.Member member) {
        List<String> from = new ArrayList<>();
        if (member.byApi()) {
            from.add("api");
        }
        if (member.byGrant()) {
            from.add("grant");
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("device", member.deviceId());
        view.put("from", from);
        view.put("connected", member.connected());
        return view;
    }

    CompletionStage<Response> add(Request call) {
        String group = group(call);
        String deviceId = deviceId(call);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("group", group);
        view.put("device", deviceId);
        view.put("durable", fleet != null || members.isDurable());
        try {
            CompletionStage<Boolean> added = fleet == null ? members.add(group, deviceId) : fleet.add(group, deviceId);
            return added.thenApply(any -> Response.json(view)).exceptionally(GroupEndpoints::notStored);
        } catch (RejectedExecutionException full) {
            return full(full).now();
        }
    }

    /** Room may be there later. */
    static Response full(RejectedExecutionException full) {
        return Response.error(429, "full", String.valueOf(full.getMessage())).retrySoon();
    }

    CompletionStage<Response> remove(Request call) {
        String group = group(call);
        CompletionStage<Boolean> removal =
                fleet == null ? members.remove(group, deviceId(call)) : fleet.remove(group, deviceId(call));
        return removal.thenApply(removed -> removed
                        ? Response.noContent()
                        : Response.error(404, "not_a_member", "the API did not make the device a member"))
                .exceptionally(GroupEndpoints::notStored);
    }

    private static Response notStored(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof StoreException || cause instanceof EngineException) {
            return Response.error(503, "not_stored", String.valueOf(cause.getMessage()))
                    .retrySoon();
        }
        throw new CompletionException(failure);
    }
}
