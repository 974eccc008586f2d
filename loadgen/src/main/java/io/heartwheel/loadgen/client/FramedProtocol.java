package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.Framing;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A protocol as a scenario describes it. Immutable; any thread.
 *
 * @param framing makes what tells messages apart, one for each event loop; null: what carries them does
 * @param id the device id as the protocol has it
 * @param firstCounter number of a connection's first message
 * @param captures values that a connection may have to remember
 * @param hello what is said first, step by step; the device is open when the last was answered
 * @param heartbeat and its answer
 * @param message and its acknowledgement; null: devices send none
 * @param echo how a message comes back to its sender; null: none does
 * @param push a message that the server sends of its own, and what is answered to it; null: it sends none
 * @param questions what the server asks, each with its answer
 * @param ignored what else it may send; nobody looks at it
 * @param ignoresUnknown whether it may send anything else
 * @param closed how it says farewell; null: it does not
 * @param leave what a device says that leaves; null: nothing
 */
public record FramedProtocol(
        @Nullable Supplier<Framing> framing,
        Template id,
        long firstCounter,
        int captures,
        List<Exchange> hello,
        Exchange heartbeat,
        @Nullable Exchange message,
        @Nullable FrameTemplate echo,
        @Nullable Exchange push,
        List<Exchange> questions,
        List<FrameTemplate> ignored,
        boolean ignoresUnknown,
        @Nullable FrameTemplate closed,
        @Nullable FrameTemplate leave) {

    /**
     * A message and its answer.
     *
     * @param send what is said; of a question and a push what is answered, null: nothing
     * @param expect the answer, of a question the question; null: there is none
     * @param refused an answer that says no; null: there is none
     */
    public record Exchange(
            @Nullable FrameTemplate send, @Nullable FrameTemplate expect, @Nullable FrameTemplate refused) {}

    /** Keeps its own copies. */
    public FramedProtocol {
        hello = List.copyOf(hello);
        questions = List.copyOf(questions);
        ignored = List.copyOf(ignored);
    }

    /**
     * What is wrong with what this device would send; empty: nothing. A message is made and read back: what the framing does
     * not take for one message no server can.
     *
     * @param number of the device
     */
    public String mistake(int number, DeviceDefaults deviceDefaults) {
        StringBuilder device = new StringBuilder();
        id.append(device, number, deviceDefaults, deviceDefaults.wantedMillis());
        FramedValues values = new FramedValues(id, captures);
        Framing own = framing == null ? null : framing.get();
        for (FrameTemplate sent : sent()) {
            String mistake = sent.mistake(device);
            if (mistake.isEmpty() && own != null) {
                values.sampleOf(number, deviceDefaults);
                mistake = mistake(sent, values, own);
            }
            if (!mistake.isEmpty()) {
                return mistake;
            }
        }
        return "";
    }

    private List<FrameTemplate> sent() {
        List<@Nullable Exchange> exchanges = new ArrayList<>(hello);
        exchanges.addAll(Arrays.asList(heartbeat, message, push));
        exchanges.addAll(questions);
        exchanges.add(new Exchange(leave, null, null));
        List<FrameTemplate> all = new ArrayList<>();
        for (Exchange exchange : exchanges) {
            if (exchange != null && exchange.send() != null) {
                all.add(exchange.send());
            }
        }
        return all;
    }

    /** Makes a message for nobody and looks whether the framing finds exactly it. */
    private static String mistake(FrameTemplate template, FramedValues values, Framing framing) {
        ByteBuf out = Unpooled.buffer();
        try {
            framing.begin(out);
            int from = out.writerIndex();
            template.write(out, values);
            framing.end(out, from);
            int all = out.readableBytes();
            return framing.next(out) && !out.isReadable()
                    ? ""
                    : "\"" + template + "\": the framing does not read its " + all + " bytes as one message";
        } catch (WireException e) {
            return "\"" + template + "\": the framing reads " + e.getMessage();
        } finally {
            out.release();
        }
    }
}
