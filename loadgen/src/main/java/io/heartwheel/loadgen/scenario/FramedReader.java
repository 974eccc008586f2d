package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.FrameCompiler;
import io.heartwheel.loadgen.client.FrameTemplate;
import io.heartwheel.loadgen.client.FramedDialect;
import io.heartwheel.loadgen.client.FramedProtocol;
import io.heartwheel.loadgen.client.FramedProtocol.Exchange;
import io.heartwheel.loadgen.client.Template;
import io.heartwheel.loadgen.client.WsRequest;
import io.heartwheel.loadgen.wire.Framing;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reader of the description of a protocol: its framing, and what is said and expected in it. One description; one thread. */
final class FramedReader {

    private static final int MOST_STEPS = 16;
    private static final int MOST_OTHERS = 64;
    private static final String BYTES = "need bytes in hex, for example 7e or 0d0a";

    private final Block block;
    private final FrameCompiler compiler = new FrameCompiler();
    private final @Nullable Supplier<Framing> framing;
    private final boolean binary;
    private final String frame;
    private final String answerFrame;

    /** @param framing how messages are told apart; null: what carries them does */
    private FramedReader(Block block, @Nullable Supplier<Framing> framing, boolean binary) {
        this.block = block;
        this.framing = framing;
        this.binary = framing == null ? binary : framing.get().carriesBinary();
        this.frame = block.text("frame", "");
        this.answerFrame = block.text("answer-frame", frame);
    }

    /** How devices speak that follow this description. */
    static Target.Speech speech(Block block) {
        Supplier<Framing> framing = framing(block.in("framing"));
        FramedProtocol protocol = new FramedReader(block, framing, false).protocol();
        return speech(protocol, "framed", host -> new FramedDialect(protocol, framing.get()));
    }

    /** How devices speak that follow this description in messages of a WebSocket. */
    static Target.Speech overWebSocket(Block block, WsRequest request) {
        boolean binary = block.flag("binary", false);
        FramedProtocol protocol = new FramedReader(block, null, binary).protocol();
        return speech(protocol, "messages", host -> new FramedDialect(protocol, host, request, binary));
    }

    private static Target.Speech speech(FramedProtocol protocol, String key, Target.Speech speaking) {
        return new Target.Speech() {
            @Override
            public Dialect dialect(String host) {
                return speaking.dialect(host);
            }

            @Override
            public String mistake(DeviceDefaults deviceDefaults, int clients) {
                String mistake = protocol.mistake(clients - 1, deviceDefaults);
                return mistake.isEmpty() ? "" : key + ": " + mistake;
            }
        };
    }

    /** In the order in which things are said: what one message captures the next can use. */
    private FramedProtocol protocol() {
        Template id = block.made("id", () -> Template.of(block.text("id", "{id}")), Template.of("{id}"));
        long first = block.whole("counter", 0, 0, Integer.MAX_VALUE);
        List<Exchange> hello = block.each("hello").stream().map(this::said).toList();
        block.check(hello.size() <= MOST_STEPS, "hello", "need at most " + MOST_STEPS + " steps");
        Block beat = block.in("heartbeat");
        boolean described = framing != null || block.has("heartbeat");
        Exchange heartbeat = described ? said(beat) : new Exchange(null, null, null);
        Block messages = block.in("message");
        Exchange message = block.has("message") ? said(messages) : null;
        FrameTemplate echo = template(messages, "echo", true, false);
        Block pushed = block.in("push");
        Exchange push = block.has("push") ? answered(pushed) : null;
        List<Exchange> questions =
                block.each("questions").stream().map(this::answered).toList();
        boolean any = block.says("ignore", "any");
        return new FramedProtocol(
                framing,
                id,
                first,
                FrameCompiler.MOST_CAPTURES,
                hello,
                heartbeat,
                message,
                echo,
                push,
                questions,
                any ? List.of() : ignored(),
                any,
                template(block, "closed", true, false),
                template(block, "leave", false, false));
    }

    private List<FrameTemplate> ignored() {
        List<FrameTemplate> ignored = new ArrayList<>();
        List<String> texts = block.words("ignore");
        block.check(texts.size() <= MOST_OTHERS, "ignore", "need at most " + MOST_OTHERS + " messages");
        for (String text : texts) {
            FrameTemplate template = compiled(block, "ignore", text, true);
            if (template != null) {
                ignored.add(template);
            }
        }
        return ignored;
    }

    /** A message of the device, and the server's answer. */
    private Exchange said(Block in) {
        FrameTemplate send = template(in, "send", false, true);
        return new Exchange(send, template(in, "expect", true, false), template(in, "refused", true, false));
    }

    /** A message of the server, and the device's answer. */
    private Exchange answered(Block in) {
        FrameTemplate expect = template(in, "expect", true, true);
        return new Exchange(template(in, "answer", false, false), expect, null);
    }

    private @Nullable FrameTemplate template(Block in, String key, boolean incoming, boolean needed) {
        if (!in.has(key)) {
            if (needed) {
                in.wrong(key, "need a message: " + FrameCompiler.need());
            }
            return null;
        }
        return compiled(in, key, in.text(key, ""), incoming);
    }

    private @Nullable FrameTemplate compiled(Block in, String key, String text, boolean incoming) {
        try {
            FrameTemplate template = compiler.compile(incoming ? answerFrame : frame, text, incoming);
            String need = "need {payload:hex}: in this framing a message cannot hold every byte";
            in.check(!template.carriesBinary() || binary, key, need);
            return template;
        } catch (IllegalArgumentException e) {
            in.wrong(key, String.valueOf(e.getMessage()));
            return null;
        }
    }

    // ---- framing

    private static Supplier<Framing> framing(Block block) {
        long kinds = List.of("length", "delimiter", "lines").stream()
                .filter(block::has)
                .count();
        int most = block.bytes("most", 65_536, 1, 1 << 20);
        block.check(kinds == 1, "length", "need one of length, delimiter and lines");
        if (block.has("length")) {
            return byLength(block.in("length"), most);
        }
        if (block.has("delimiter")) {
            return byDelimiter(block, most);
        }
        boolean crlf = block.isOther("lines", "lf", "crlf");
        return () -> new Framing.Lines(crlf, most);
    }

    private static Supplier<Framing> byLength(Block block, int most) {
        int offset = block.integer("offset", 0, 0, 1_024);
        int bytes = block.integer("bytes", 2, 1, 4);
        boolean little = block.flag("little-endian", false);
        int adjust = block.integer("adjust", 0, -65_536, 65_536);
        return () -> new Framing.Length(offset, bytes, little, adjust, most);
    }

    private static Supplier<Framing> byDelimiter(Block block, int most) {
        byte[] delimiter = hex(block, "delimiter", "7e");
        Map<String, Object> escapes = block.raw("escape");
        boolean both = block.flag("both", !escapes.isEmpty());
        int[][] pairs = new int[escapes.size()][];
        int lead = -1;
        int at = 0;
        boolean right = escapes.isEmpty() || delimiter.length == 1;
        boolean covered = escapes.isEmpty();
        for (Map.Entry<String, Object> escape : escapes.entrySet()) {
            byte[] plain = hex(escape.getKey());
            byte[] written = hex(String.valueOf(escape.getValue()));
            right &= plain.length == 1 && written.length == 2 && (lead < 0 || lead == (written[0] & 0xFF));
            if (!right) {
                break;
            }
            lead = written[0] & 0xFF;
            covered |= plain[0] == delimiter[0];
            pairs[at++] = new int[] {plain[0] & 0xFF, written[1] & 0xFF};
        }
        if (!right || !covered) {
            block.wrong(
                    "escape",
                    "need for each escaped byte, the delimiter among them, two bytes that begin alike: { \"7e\" = 7d02, \"7d\" = 7d01 }");
            return () -> new Framing.Lines(false, most);
        }
        int first = lead;
        return () -> new Framing.Delimiter(delimiter, both, first, pairs, most);
    }

    private static byte[] hex(Block block, String key, String otherwise) {
        byte[] bytes = hex(block.text(key, otherwise));
        if (bytes.length == 0 || bytes.length > 16) {
            block.wrong(key, BYTES);
            return new byte[1];
        }
        return bytes;
    }

    private static byte[] hex(String text) {
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }
}
