package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.PlainWsDialect;
import io.heartwheel.loadgen.client.Template;
import io.heartwheel.loadgen.client.WsRequest;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
        Template target = template(block, "path", path, "[!-~]+", "visible ASCII without spaces");
        Template subprotocol = block.has("subprotocol")
                ? template(block, "subprotocol", block.text("subprotocol", ""), "[!-~ ]+", "visible ASCII")
                : null;
        WsRequest request = new WsRequest(
                target == null || !path.startsWith("/") ? slash(block) : target, whole, headers(block), subprotocol);
        if (described) {
            return FramedReader.overWebSocket(block.in("messages"), request);
        }
        return host -> new PlainWsDialect(host, request);
    }

    private static Template slash(Block block) {
        block.wrong("path", "need a path that begins with /");
        return Template.of("/");
    }

    private static Map<String, Template> headers(Block block) {
        Map<String, Template> headers = new TreeMap<>();
        Map<String, Object> written = block.raw("headers");
        if (written.size() > MOST_HEADERS) {
            block.wrong("headers", "need at most " + MOST_HEADERS);
        }
        written.forEach((name, value) -> {
            Template template =
                    template(block, "headers", String.valueOf(value), "[^\\p{Cntrl}]*", "no control characters");
            if (!WsRequest.mayBeSet(name)) {
                block.wrong(
                        "headers",
                        name + ": need another name than those of the upgrade itself, of letters, digits and -");
            } else if (template != null) {
                headers.put(name, template);
            }
        });
        return headers;
    }

    private static @Nullable Template template(Block block, String key, String text, String form, String need) {
        try {
            if (!text.matches(form)) {
                throw new IllegalArgumentException("need " + need);
            }
            return Template.of(text);
        } catch (IllegalArgumentException e) {
            block.wrong(key, String.valueOf(e.getMessage()));
            return null;
        }
    }
}
