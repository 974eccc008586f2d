package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Document of the API, OpenAPI 3.1, made of the table of routes: nothing in it is written twice.
 *
 * <pre>
 *   route --+-- path, scope, summary --------&gt; operation
 *           +-- parameters, body ------------&gt; what requests are held to
 *           +-- answers, by status ----------&gt; schemas; those with a name stand in components, once
 *   every route: 400, 401, 403, 421, 429 ----&gt; problems (RFC 9457)
 * </pre>
 *
 * <p>Made when it is first asked for, then kept. Any thread.
 */
final class OpenApi {
    /** Parameters of paths, by name. */
    private static final Map<String, Parameter<?>> IN_PATHS = Stream.of(
                    DeviceEndpoints.DEVICE_ID,
                    GroupEndpoints.GROUP,
                    JobEndpoints.JOB_ID,
                    MessageEndpoints.ID_OF_PATH,
                    OutletEndpoints.OUTLET,
                    ScheduleEndpoints.KEY)
            .collect(Collectors.toUnmodifiableMap(Parameter::name, known -> known));

    private static final Pattern VARIABLE = Pattern.compile("\\{([a-z_]+)}");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final String ABOUT =
            "Operator's HTTP of one gateway. HEAD is answered wherever GET is. Answers may get more fields: pass over those that"
                    + " you do not know. A whole number above 2^53 - 1 is a string of its digits. A scope stands beside each operation.";

    private final List<Route> routes = new ArrayList<>();
    private final Supplier<String> version;
    private @Nullable Response made; // guarded by this

    /** @param version of the gateway */
    OpenApi(List<Route> routes, Supplier<String> version) {
        this.routes.addAll(routes);
        this.routes.add(route());
        this.version = version;
    }

    /** What it tells of, and where it is served itself. */
    List<Route> routes() {
        return List.copyOf(routes);
    }

    private Route route() {
        return Route.get(
                        "/v1/openapi.json", "This document.", call -> document().now())
                .answers(200, "OpenAPI 3.1", Schema.of("object"));
    }

    private synchronized Response document() {
        Response document = made;
        if (document == null) {
            document = Response.json(tree());
            made = document;
        }
        return document;
    }

    // ------------------------------------------------------------------ the document

    /** All of it. */
    ObjectNode tree() {
        ObjectNode root = NODES.objectNode().put("openapi", "3.1.0");
        root.putObject("info")
                .put("title", "Heartwheel admin")
                .put("version", version.get())
                .put("description", ABOUT);
        root.putArray("servers").addObject().put("url", "/");
        ObjectNode paths = root.putObject("paths");
        Map<String, ObjectNode> named = new TreeMap<>(Schema.PROBLEM.named());
        for (Route route : routes) {
            paths.withObjectProperty(route.path())
                    .set(route.method().name().toLowerCase(Locale.ROOT), operation(route, named));
        }
        ObjectNode components = root.putObject("components");
        named.forEach(components.putObject("schemas")::set);
        refusals(components.putObject("responses"));
        components
                .putObject("securitySchemes")
                .putObject("bearer")
                .put("type", "http")
                .put("scheme", "bearer")
                .put("description", "A token of the operator, with scopes read, send or operate");
        return root;
    }

    private static ObjectNode operation(Route route, Map<String, ObjectNode> named) {
        String scope = route.scope().label();
        ObjectNode operation = NODES.objectNode()
                .put("operationId", operationId(route))
                .put("summary", route.summary())
                .put("description", route.scope() == Scope.NONE ? "Needs no token." : "Needs the scope " + scope + ".");
        ArrayNode security = operation.putArray("security");
        if (route.scope() != Scope.NONE) {
            security.addObject().putArray("bearer").add(scope);
        }
        ArrayNode parameters = NODES.arrayNode();
        VARIABLE.matcher(route.path())
                .results()
                .map(variable -> pathParameter(variable.group(1)))
                .forEach(parameters::add);
        route.parameters().forEach(each -> parameters.add(parameter(each, "query")));
        route.headers().forEach(each -> parameters.add(parameter(each, "header")));
        if (!parameters.isEmpty()) {
            operation.set("parameters", parameters);
        }
        Route.Body body = route.body();
        if (body != null) {
            ObjectNode request = operation.putObject("requestBody").put("description", body.about());
            content(request, body.mediaTypes(), body.schema(), named);
        }
        operation.set("responses", responses(route, named));
        return operation;
    }

    private static String operationId(Route route) {
        return route.method().name().toLowerCase(Locale.ROOT)
                + route.path().replaceAll("[^a-z0-9]+", "_").replaceAll("_$", "");
    }

    private static ObjectNode pathParameter(String name) {
        Parameter<?> known = IN_PATHS.get(name);
        if (known == null) {
            throw new IllegalStateException("path parameter " + name + ": need one of " + IN_PATHS.keySet());
        }
        return parameter(known, "path").put("required", true);
    }

    private static ObjectNode parameter(Parameter<?> parameter, String place) {
        ObjectNode told = NODES.objectNode()
                .put("name", parameter.name())
                .put("in", place)
                .put("description", parameter.about() + "; " + parameter.need());
        return told.set("schema", parameter.schema().node());
    }

    private static ObjectNode responses(Route route, Map<String, ObjectNode> named) {
        ObjectNode responses = NODES.objectNode();
        route.answers().forEach((status, answer) -> {
            ObjectNode told = responses.putObject(status.toString()).put("description", answer.about());
            content(told, answer.mediaTypes(), answer.schema(), named);
        });
        for (Refusal refusal : Refusal.values()) {
            if (refusal.isOf(route) && !responses.has(refusal.status)) {
                responses.putObject(refusal.status).put("$ref", "#/components/responses/" + refusal.component());
            }
        }
        return responses;
    }

    private static void content(
            ObjectNode of, List<String> mediaTypes, @Nullable Schema schema, Map<String, ObjectNode> named) {
        if (mediaTypes.isEmpty()) {
            return;
        }
        ObjectNode content = of.putObject("content");
        for (String type : mediaTypes) {
            ObjectNode media = content.putObject(type);
            if (schema != null) {
                media.set("schema", schema.node());
                named.putAll(schema.named());
            }
        }
    }

    // ------------------------------------------------------------------ refusals of every route

    /** Refusal that no route has for itself. */
    private enum Refusal {
        BAD_REQUEST("400", "A parameter, a body or a header that is not as it must be"),
        UNAUTHORIZED("401", "No token, or none that is known"),
        FORBIDDEN("403", "A token without the scope, or a change asked for by a web page"),
        MISDIRECTED("421", "A Host that is no name of this listener"),
        TOO_MANY("429", "Too many wrong tokens from this address"),
        OTHER("default", "Any other refusal");

        private final String status;
        private final String about;

        Refusal(String status, String about) {
            this.status = status;
            this.about = about;
        }

        String component() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }

        boolean isOf(Route route) {
            boolean guarded = route.scope() != Scope.NONE;
            return switch (this) {
                case UNAUTHORIZED, TOO_MANY -> guarded;
                case FORBIDDEN -> guarded || !route.method().equals(HttpMethod.GET);
                default -> true;
            };
        }
    }

    private static void refusals(ObjectNode components) {
        for (Refusal refusal : Refusal.values()) {
            ObjectNode told = components.putObject(refusal.component()).put("description", refusal.about);
            content(told, List.of(Response.PROBLEM_TYPE), Schema.PROBLEM, new TreeMap<>());
        }
    }
}
