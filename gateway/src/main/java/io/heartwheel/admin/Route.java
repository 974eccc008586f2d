package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Method and path of an endpoint, with what it takes. Immutable; any thread.
 *
 * @param path segments; {@link #ANY} stands for any one segment
 * @param parameters allowed in the query
 * @param takesBody whether a body has a meaning
 */
record Route(HttpMethod method, List<String> path, Set<String> parameters, boolean takesBody, Endpoint endpoint) {
    /** Any one segment. */
    static final String ANY = "{}";

    /** Answers, now or later, on any thread. */
    @FunctionalInterface
    interface Endpoint {
        /** @throws HttpError if the call makes no sense */
        CompletionStage<Response> answer(Request call);
    }

    /** GET without parameters. */
    static Route get(String path, Endpoint endpoint) {
        return of(HttpMethod.GET, path, endpoint);
    }

    /** A call without a body. */
    static Route of(HttpMethod method, String path, Endpoint endpoint, String... parameters) {
        return new Route(method, List.of(path.substring(1).split("/")), Set.of(parameters), false, endpoint);
    }

    /** The same with a body. */
    Route withBody() {
        return new Route(method, path, parameters, true, endpoint);
    }

    boolean leadsTo(List<String> segments) {
        if (segments.size() != path.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (!path.get(i).equals(ANY) && !path.get(i).equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    boolean serves(HttpMethod asked) {
        return asked.equals(method) || (asked.equals(HttpMethod.HEAD) && method.equals(HttpMethod.GET));
    }
}
