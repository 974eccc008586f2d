package io.heartwheel.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.net.HttpError;
import io.heartwheel.push.TestDatabase;
import io.heartwheel.session.FakeSession;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Three gateways of one fleet in memory and virtual time, whose routes are asked without sockets. One thread. */
final class FleetRig implements AutoCloseable {
    static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(20);
    /** Longer than anybody waits. */
    private static final int MOST_TURNS = 10_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    final MemoryFleet memory;
    private final List<Node> all = new ArrayList<>();
    final Node a;
    final Node b;
    final Node c;

    FleetRig() {
        this(1);
    }

    /** @param seed of what happens on the way between gateways */
    FleetRig(long seed) {
        memory = new MemoryFleet(seed);
        a = new Node("a");
        b = new Node("b");
        c = new Node("c");
    }

    /** One of them. */
    final class Node {
        private final TestDatabase disk;
        final AdminFixture admin;
        final Routes routes;
        /** What others have carried here. */
        final List<ApiCall> served = new ArrayList<>();

        Node(String name) {
            this(name, TestDatabase.ready());
        }

        private Node(String name, TestDatabase disk) {
            this.disk = disk;
            all.add(this);
            admin = AdminFixture.inFleet(memory, name, disk);
            routes = Routes.of(admin.ports());
            FleetApi api = new FleetApi(admin.ports());
            admin.part.fleet.serve(call -> {
                served.add(call);
                return api.answer(call);
            });
        }

        /** A device that is connected here from now on, and whose row says so. */
        FakeSession connect(String id) {
            FakeSession device = admin.device(id);
            pass(MOMENT);
            return device;
        }

        /** Jobs go as far as they can. */
        void run() {
            for (Runnable task = admin.jobsTasks.poll(); task != null; task = admin.jobsTasks.poll()) {
                task.run();
            }
        }

        /** Dies: nobody is told. */
        void kill() {
            admin.part.engine.close();
            all.remove(this);
        }

        /** Comes back after its death, with its disk. */
        Node restart() {
            return new Node(admin.part.id.name(), disk);
        }

        long count(What what) {
            return admin.part.counts.get(what);
        }

        /** Asks, as an operator does. */
        CompletionStage<Response> begin(String method, String target, String body, String... headers) {
            Request call = request(method, target, body.getBytes(StandardCharsets.UTF_8), headers);
            try {
                return routes.answer(call, Caller.LOCAL, "");
            } catch (HttpError refusal) {
                return Response.of(refusal).now();
            }
        }

        /** Asks, and waits for the answer, which the document of the API must allow. */
        Response ask(String method, String target, String body, String... headers) {
            return checked(method, target, await(begin(method, target, body, headers)));
        }

        Response get(String target) {
            return ask("GET", target, "");
        }

        Response push(String query, String body, String... headers) {
            return ask("POST", "/v1/devices/d/messages" + query, body, headers);
        }
    }

    /** A gateway that knows of devices' rows and of nothing else. */
    Engine earlierRelease(NodeId node) {
        Engine engine = memory.join(node);
        engine.bus()
                .serve(message -> CompletableFuture.completedFuture(
                        BusMessage.answer(message, kick -> BusMessage.Answer.ABSENT)));
        return engine;
    }

    /** A request of an operator. */
    static Request request(String method, String target, byte[] body, String... headers) {
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), target, Unpooled.wrappedBuffer(body));
        request.headers().set("Host", "gw").set("Content-Type", "text/plain");
        for (int i = 0; i < headers.length; i += 2) {
            request.headers().set(headers[i], headers[i + 1]);
        }
        return Request.of(request, false);
    }

    static Response checked(String method, String target, Response answer) {
        AnswerSchemas.ofThisGateway().check(method, target, answer.status(), answer.contentType(), text(answer));
        return answer;
    }

    static String text(Response answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** A header of an answer; null: it has none of that name. */
    static String header(Response answer, CharSequence name) {
        return answer.headers().entrySet().stream()
                .filter(each -> AsciiString.contentEqualsIgnoreCase(each.getKey(), name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    static JsonNode json(Response answer) {
        try {
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets time pass for all until the answer is there. */
    <T> T await(CompletionStage<T> answer) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        for (int i = 0; i < MOST_TURNS && !future.isDone(); i++) {
            pass(MOMENT);
        }
        return future.join();
    }

    /** Time passes for all. */
    void pass(long nanos) {
        memory.pass(nanos);
        for (Node each : List.copyOf(all)) {
            each.admin.gateway.wallMicros += nanos / 1_000;
            each.admin.part.turn();
            each.run();
        }
    }

    @Override
    public void close() {
        List.of(a, b, c).forEach(each -> each.admin.close());
    }
}
