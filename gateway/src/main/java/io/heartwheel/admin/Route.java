package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Method and path of an endpoint, what it takes and what it answers: the rule that requests are held to, and the source of the API's document. Built by one
 * thread, then never changed; any thread.
 */
final class Route {
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

    private final HttpMethod method;
    private final String path;
    private final List<String> segments;
    private final Endpoint endpoint;
    private Scope scope;
    private String summary = "";
    private List<Parameter<?>> parameters = List.of();
    private @Nullable Body body;
    private final Map<Integer, Answer> answers = new LinkedHashMap<>();

    private Route(HttpMethod method, String path, Endpoint endpoint) {
        this.method = method;
        this.path = path;
        this.endpoint = endpoint;
        segments = List.of(path.substring(1).split("/"));
        scope = method.equals(HttpMethod.GET) ? Scope.READ : Scope.OPERATE;
    }

    /** One that changes nothing. */
    static Route get(String path, Endpoint endpoint) {
        return of(HttpMethod.GET, path, endpoint);
    }

    /** @param path a segment in braces stands for any one segment */
    static Route of(HttpMethod method, String path, Endpoint endpoint) {
        return new Route(method, path, endpoint);
    }

    // ------------------------------------------------------------------ building

    /** It needs this scope, not the usual one of its method. */
    Route scope(Scope needed) {
        scope = needed;
        return this;
    }

    /** What it is for, in a sentence. */
    Route says(String sentence) {
        summary = sentence;
        return this;
    }

    /** What its query may have. */
    Route takes(Parameter<?>... query) {
        parameters = List.of(query);
        return this;
    }

    /** A body has a meaning. */
    Route withBody(Body meaning) {
        body = meaning;
        return this;
    }

    /** It answers JSON. */
    Route answers(int status, String about, Schema schema) {
        return answers(status, new Answer(about, List.of(Response.JSON_TYPE), schema));
    }

    Route answers(int status, Answer answer) {
        answers.put(status, answer);
        return this;
    }

    /** It refuses, as a problem. */
    Route refuses(int status, String about) {
        return refuses(status, about, Schema.PROBLEM);
    }

    /** It refuses, as a problem with fields of its own. */
    Route refuses(int status, String about, Schema problem) {
        return answers(status, new Answer(about, List.of(Response.PROBLEM_TYPE), problem));
    }

    // ------------------------------------------------------------------ facts

    HttpMethod method() {
        return method;
    }

    /** With the names of its parameters in braces. */
    String path() {
        return path;
    }

    /** What a caller must be allowed to do. */
    Scope scope() {
        return scope;
    }

    String summary() {
        return summary;
    }

    /** Of the query. */
    List<Parameter<?>> parameters() {
        return parameters;
    }

    /** Null if it takes none. */
    @Nullable
    Body body() {
        return body;
    }

    /** By status, beside the refusals that every route has. */
    Map<Integer, Answer> answers() {
        return answers;
    }

    // ------------------------------------------------------------------ requests

    boolean leadsTo(List<String> asked) {
        if (asked.size() != segments.size()) {
            return false;
        }
        for (int i = 0; i < segments.size(); i++) {
            if (!segments.get(i).startsWith("{") && !segments.get(i).equals(asked.get(i))) {
                return false;
            }
        }
        return true;
    }

    boolean serves(HttpMethod asked) {
        return asked.equals(method) || (asked.equals(HttpMethod.HEAD) && method.equals(HttpMethod.GET));
    }

    /** @throws HttpError if the query, the body or what they ask for is none that it takes */
    CompletionStage<Response> answer(Request call) {
        List<String> known = parameters.stream().map(Parameter::name).sorted().toList();
        for (String name : call.query().keySet()) {
            if (!known.contains(name)) {
                throw HttpError.badRequest("parameter " + HttpError.quote(name) + ": need one of " + known);
            }
        }
        parameters.forEach(parameter -> parameter.in(call));
        if (call.body().length > 0 && body == null) {
            throw HttpError.badRequest("body of " + call.body().length + " bytes: need none");
        }
        return endpoint.answer(call);
    }
}
