package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Method and path of an endpoint, what it takes and what it answers: the rule that requests are held to, and the source of the API's document. Immutable; any
 * thread.
 *
 * @param path with the names of its parameters in braces: each stands for any one segment
 * @param summary what it is for, in a sentence
 * @param scope what a caller must be allowed to do
 * @param parameters of the query
 * @param headers that mean something to it
 * @param body null if it takes none
 * @param answers by status, beside the refusals that every route has
 * @param reach how it is answered in a fleet, if it is about one device; null: by the gateway that is asked
 */
record Route(
        HttpMethod method,
        String path,
        String summary,
        Endpoint endpoint,
        Scope scope,
        List<Parameter<?>> parameters,
        List<Parameter<?>> headers,
        @Nullable Body body,
        Map<Integer, Answer> answers,
        @Nullable Reach reach) {
    /** Answers, now or later, on any thread. */
    @FunctionalInterface
    interface Endpoint {
        /** @throws HttpError if the call makes no sense */
        CompletionStage<Response> answer(Request call);
    }

    /**
     * Body of a request.
     *
     * @param about what it is for
     * @param schema of one that is JSON; null: bytes
     */
    record Body(List<String> mediaTypes, String about, @Nullable Schema schema) {}

    /**
     * One kind of answer.
     *
     * @param about when it is given
     * @param mediaTypes empty: it has no body
     * @param schema of one that is JSON; null: a text
     */
    record Answer(String about, List<String> mediaTypes, @Nullable Schema schema) {}

    /** One that changes nothing, and needs the scope {@code read}. */
    static Route get(String path, String summary, Endpoint endpoint) {
        return new Route(
                HttpMethod.GET, path, summary, endpoint, Scope.READ, List.of(), List.of(), null, Map.of(), null);
    }

    /** One that needs the scope {@code operate}. */
    static Route post(String path, String summary, Endpoint endpoint) {
        return new Route(
                HttpMethod.POST, path, summary, endpoint, Scope.OPERATE, List.of(), List.of(), null, Map.of(), null);
    }

    /** The same. */
    static Route delete(String path, String summary, Endpoint endpoint) {
        return new Route(
                HttpMethod.DELETE, path, summary, endpoint, Scope.OPERATE, List.of(), List.of(), null, Map.of(), null);
    }

    /** The same. */
    static Route put(String path, String summary, Endpoint endpoint) {
        return new Route(
                HttpMethod.PUT, path, summary, endpoint, Scope.OPERATE, List.of(), List.of(), null, Map.of(), null);
    }

    // ------------------------------------------------------------------ the same with more

    /** It needs this scope. */
    Route scope(Scope needed) {
        return new Route(method, path, summary, endpoint, needed, parameters, headers, body, answers, reach);
    }

    /** What its query may have. */
    Route takes(Parameter<?>... query) {
        return new Route(method, path, summary, endpoint, scope, List.of(query), headers, body, answers, reach);
    }

    /** A header has a meaning. */
    Route takesHeader(Parameter<?> header) {
        return new Route(method, path, summary, endpoint, scope, parameters, List.of(header), body, answers, reach);
    }

    /** A body has a meaning. */
    Route withBody(Body meaning) {
        return new Route(method, path, summary, endpoint, scope, parameters, headers, meaning, answers, reach);
    }

    /** In a fleet it is answered where the device is. */
    Route reaches(Reach how) {
        return new Route(method, path, summary, endpoint, scope, parameters, headers, body, answers, how);
    }

    /** The same, answered by another. */
    Route answeredBy(Endpoint other) {
        return new Route(method, path, summary, other, scope, parameters, headers, body, answers, reach);
    }

    /** It answers JSON. */
    Route answers(int status, String about, Schema schema) {
        return answers(status, new Answer(about, List.of(Response.JSON_TYPE), schema));
    }

    Route answers(int status, Answer answer) {
        Map<Integer, Answer> all = new LinkedHashMap<>(answers);
        all.put(status, answer);
        return new Route(method, path, summary, endpoint, scope, parameters, headers, body, all, reach);
    }

    /** It refuses, as a problem. */
    Route refuses(int status, String about) {
        return refuses(status, about, Schema.PROBLEM);
    }

    /** It refuses, as a problem with fields of its own. */
    Route refuses(int status, String about, Schema problem) {
        return answers(status, new Answer(about, List.of(Response.PROBLEM_TYPE), problem));
    }

    // ------------------------------------------------------------------ requests

    /** Segments of the path. */
    List<String> segments() {
        return List.of(path.substring(1).split("/"));
    }

    boolean serves(HttpMethod asked) {
        return asked.equals(method) || (asked.equals(HttpMethod.HEAD) && method.equals(HttpMethod.GET));
    }

    /** @throws HttpError if the query, the body or what they ask for is none that it takes */
    CompletionStage<Response> answer(Request call) {
        for (String name : call.query().keySet()) {
            if (parameters.stream().noneMatch(parameter -> parameter.name().equals(name))) {
                List<String> known =
                        parameters.stream().map(Parameter::name).sorted().toList();
                throw HttpError.badRequest("parameter " + HttpError.quote(name) + ": need one of " + known);
            }
        }
        parameters.forEach(parameter -> parameter.in(call));
        headers.forEach(header -> header.inHeader(call));
        if (call.body().length > 0 && body == null) {
            throw HttpError.badRequest("body of " + call.body().length + " bytes: need none");
        }
        return endpoint.answer(call);
    }
}
