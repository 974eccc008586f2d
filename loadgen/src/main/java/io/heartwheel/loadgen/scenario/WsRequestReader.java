package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.PlainWsDialect;
import io.heartwheel.loadgen.client.Template;
import io.heartwheel.loadgen.client.WsRequest;
import java.util.Map;
import java.util.TreeMap;

/** Reader of the WebSocket request of plain devices, and of the messages after it. */
final class WsRequestReader {

    private static final int MOST_HEADERS = 64;

    private WsRequestReader() {}

    /**
     * How devices speak there.
     *
     * @param path as written; with places in it, or with other keys beside it, it is all of the request target
     */
    static Target.Speech speech(Block block, String path) {
        boolean described = block.has("messages");
        boolean whole = described || path.contains("{") || block.has("headers") || block.has("subprotocol");
        block.check(path.startsWith("/"), "path", "need a path that begins with /");
        WsRequest request = new WsRequest(
                template(block, "path", path, "[!-~]+", "visible ASCII without spaces"),
                whole,
                headers(block),
                block.has("subprotocol")
                        ? template(block, "subprotocol", block.text("subprotocol", ""), "[!-~ ]+", "visible ASCII")
                        : null);
        return described
                ? FramedReader.overWebSocket(block.in("messages"), request)
                : host -> new PlainWsDialect(host, request);
    }

    private static Map<String, Template> headers(Block block) {
        Map<String, Template> headers = new TreeMap<>();
        Map<String, Object> written = block.raw("headers");
        block.check(written.size() <= MOST_HEADERS, "headers", "need at most " + MOST_HEADERS);
        written.forEach((name, value) -> {
            String need = ": need another name than those of the upgrade itself, of letters, digits and -";
            block.check(WsRequest.mayBeSet(name), "headers", name + need);
            headers.put(
                    name, template(block, "headers", String.valueOf(value), "[^\\p{Cntrl}]*", "no control characters"));
        });
        return headers;
    }

    private static Template template(Block block, String key, String text, String form, String need) {
        block.check(text.matches(form), key, "need " + need);
        return block.made(key, () -> Template.of(text), Template.of("/"));
    }
}
