package io.heartwheel.admin;

import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.ApiHeader;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.net.HttpError;
import io.heartwheel.push.Pushes;
import io.heartwheel.session.SessionRegistry;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Answers to requests of the API that came in at another gateway: about its own devices, by the routes that answer them here, whether it listens for
 * operators itself or not, and for its shares of jobs. Who may ask was settled there. Any thread.
 */
public final class FleetApi implements Fleet.Served {
    private final AdminPorts ports;
    private final Routes routes;

    /** Over the parts that the admin server asks. */
    public FleetApi(AdminPorts ports) {
        this.ports = ports;
        routes = Routes.ofDevices(ports);
    }

    /**
     * Messages of this gateway's own to devices wherever they are, by the route that brings those of operators there.
     *
     * @param pushes to the devices that are connected here
     * @param nanoClock monotonic nanoseconds
     */
    public static FleetPushes pushes(Fleet fleet, SessionRegistry registry, Pushes pushes, LongSupplier nanoClock) {
        Elsewhere elsewhere = new Elsewhere(fleet, registry, pushes, nanoClock);
        Route route = new MessageEndpoints(pushes, () -> Integer.MAX_VALUE)
                .routes().stream()
                        .filter(each -> each.method().equals(HttpMethod.POST))
                        .findFirst()
                        .orElseThrow();
        return new FleetPushes(fleet, pushes, elsewhere.over(route)::answer);
    }

    @Override
    public CompletionStage<ApiAnswer> answer(ApiCall carried) {
        try {
            Request call = Request.of(carried);
            Route route = routes.find(call);
            Reach reach = route.reach();
            boolean anywhere = reach == null
                    || reach.remembers()
                    || reach.gathering() != null
                    || Elsewhere.isKept(ports.pushes(), route, call);
            if (anywhere) {
                return answer(call, carried);
            }
            String deviceId = DeviceEndpoints.deviceId(call);
            return Elsewhere.isHereSoon(ports.registry(), deviceId)
                    .thenCompose(here -> here ? answer(call, carried) : absent())
                    .thenCompose(answer -> Elsewhere.hasLeft(answer.status(), ports.registry(), deviceId)
                            ? absent()
                            : CompletableFuture.completedFuture(answer));
        } catch (HttpError refusal) {
            return CompletableFuture.completedFuture(told(Response.of(refusal)));
        }
    }

    private static CompletionStage<ApiAnswer> absent() {
        return CompletableFuture.completedFuture(ApiAnswer.none(ApiAnswer.Outcome.ABSENT, "it is not connected here"));
    }

    private CompletionStage<ApiAnswer> answer(Request call, ApiCall carried) {
        String from = carried.from().name();
        try {
            return routes.answer(call, Caller.ofNode(from), from).thenApply(FleetApi::told);
        } catch (HttpError refusal) {
            return CompletableFuture.completedFuture(told(Response.of(refusal)));
        }
    }

    private static ApiAnswer told(Response answer) {
        List<ApiHeader> headers = new ArrayList<>();
        if (!answer.contentType().isEmpty()) {
            headers.add(new ApiHeader(HttpHeaderNames.CONTENT_TYPE.toString(), answer.contentType()));
        }
        answer.headers().forEach((name, value) -> headers.add(new ApiHeader(name.toString(), value)));
        return new ApiAnswer(ApiAnswer.Outcome.ANSWERED, answer.status(), headers, answer.body());
    }
}
