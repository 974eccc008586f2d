package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.conform.Peer.End;
import io.heartwheel.loadgen.conform.Rule.Case;
import io.heartwheel.loadgen.wire.Frame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Rules about messages in both directions: ACK, repeats, the outbox, its end, how frames come. Stateless. */
final class MessageRules {

    private static final int NORMAL = 4000;
    private static final int WS_NORMAL = 1000;
    private static final int KNOWN_IDS = 64;
    private static final int MANY = 80;
    private static final int UNKNOWN_STATUS = 7;

    private MessageRules() {}

    static List<Rule> all() {
        return List.of(
                new Rule("ack", new Case("messages", MessageRules::ack)),
                new Rule("dedupe", new Case("repeats", MessageRules::dedupe)),
                new Rule(
                        "outbox",
                        new Case("no ACK", MessageRules::resend),
                        new Case("refused", MessageRules::refused),
                        new Case("many", MessageRules::many)),
                new Rule(
                        "finish",
                        new Case("late ACKs", MessageRules::finish),
                        new Case("nothing to send", MessageRules::finishAtOnce),
                        new Case("connection lost", MessageRules::finishElsewhere)),
                new Rule(
                        "fragments",
                        new Case("byte by byte", MessageRules::pieces),
                        new Case("together", MessageRules::together)));
    }

    private static String ack(Trial trial) {
        Peer peer = trial.welcomed();
        long[] ids = {1, (1L << 53) + 1, (1L << 63) + 5};
        String[] texts = {"one", "zwei: ü, €, 𝄞", "three"};
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            peer.send(Trial.wanted(ids[i], texts[i]));
            trial.acknowledged(peer, i, ids[i]);
            expected.add(texts[i]);
            trial.printed(expected);
        }
        peer.send(Trial.data(9, false, "no answer wanted"));
        expected.add("no answer wanted");
        ByteBuffer binary = ByteBuffer.wrap("not flagged as text".getBytes(StandardCharsets.US_ASCII));
        peer.send(new Frame.Data(10, true, false, binary));
        trial.acknowledged(peer, ids.length, 10);
        expected.add("not flagged as text");
        trial.printed(expected);
        trial.stays(peer, Limits.SETTLED, "DATA");
        trial.need(peer.frames(Frame.Ack.class).size() == ids.length + 1, "an ACK of DATA that wanted none");
        return ids.length + 1 + " ACKs with status 0, every message printed";
    }

    private static String dedupe(Trial trial) {
        Peer peer = trial.welcomed();
        List<String> expected = new ArrayList<>();
        for (int id = 1; id <= KNOWN_IDS; id++) {
            expected.add("message " + id);
            peer.send(Trial.wanted(id, "message " + id));
            trial.acknowledged(peer, id - 1, id);
        }
        peer.send(Trial.wanted(KNOWN_IDS, "message " + KNOWN_IDS));
        trial.acknowledged(peer, KNOWN_IDS, KNOWN_IDS);
        Peer second = trial.reconnected(peer, NORMAL);
        for (int id = 1; id <= KNOWN_IDS; id++) {
            second.send(Trial.wanted(id, "message " + id));
            trial.acknowledged(second, id - 1, id);
        }
        for (int i = 0; i < 2; i++) {
            second.send(Trial.data(0, false, "no id"));
            expected.add("no id");
        }
        second.send(Trial.wanted(KNOWN_IDS + 1, "the last"));
        expected.add("the last");
        trial.printed(expected);
        return KNOWN_IDS + 1 + " repeats acknowledged and not printed, on both connections";
    }

    private static String resend(Trial trial) {
        Peer peer = trial.welcomed();
        List<String> lines = List.of("first", "second ü", "third");
        lines.forEach(trial.client()::say);
        trial.await(peer, Frame.Data.class, 0);
        trial.facts().pause(Limits.SETTLED);
        Map<String, Long> ids = new LinkedHashMap<>();
        peer.frames(Frame.Data.class).forEach(data -> ids.putIfAbsent(Trial.text(data), data.id()));
        Peer second = trial.back("a reset", peer.reset(), Limits.LATER_LEAST, Limits.LATER)
                .peer();
        for (int i = 0; i < lines.size(); i++) {
            Frame.Data data = accept(trial, second, i, lines.get(i));
            Long before = ids.get(lines.get(i));
            trial.need(before == null || before == data.id(), lines.get(i) + " came again under another id");
        }
        trial.stays(second, Limits.SETTLED, "ACKs");
        trial.need(second.frames(Frame.Data.class).size() == lines.size(), "a message was sent again after its ACK");
        return ids.size() + " without an ACK came again under their ids, in order";
    }

    /** Awaits the message with this number, from 0, which must be this line, and acknowledges it. */
    private static Frame.Data accept(Trial trial, Peer peer, int index, String line) {
        Frame.Data data = trial.await(peer, Frame.Data.class, index);
        String text = Trial.text(data);
        trial.need(text.equals(line), "message " + Trial.cut(text) + " came: need " + Trial.cut(line));
        trial.need(data.ackWanted(), "DATA without the flag ACK wanted");
        trial.need(data.text(), "DATA without the flag text");
        trial.need(data.id() != 0, "DATA with id 0 wants an ACK: such a repeat is never known");
        peer.send(new Frame.Ack(data.id(), 0));
        return data;
    }

    private static String refused(Trial trial) {
        Peer peer = trial.welcomed();
        trial.client().say("refuse me");
        Frame.Data first = trial.await(peer, Frame.Data.class, 0);
        List<Long> waits = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int index = i;
            long from = trial.facts().nanos();
            peer.send(new Frame.Ack(first.id(), i == 1 ? 1 : UNKNOWN_STATUS));
            String what = "a refused message again";
            Peer.Received again = trial.await(peer, what, from, Limits.RESEND, () -> peer.received().stream()
                    .filter(each -> each.frame() instanceof Frame.Data)
                    .skip(index)
                    .findFirst()
                    .orElse(null));
            long least = Limits.RESEND_LEAST + Limits.EARLY;
            waits.add(trial.facts().between(what, from, again.atNanos(), least, Limits.RESEND));
            trial.need(first.equals(again.frame()), "a refused message came again as another: " + again.frame());
        }
        peer.send(new Frame.Ack(first.id(), 0));
        trial.stays(peer, Limits.SETTLED, "an ACK");
        trial.need(peer.frames(Frame.Data.class).size() == 3, "a message was sent again after its ACK");
        return "sent again after " + Trial.millis(waits);
    }

    private static String many(Trial trial) {
        Peer peer = trial.welcomed();
        List<String> lines =
                IntStream.range(0, MANY).mapToObj(i -> "message " + i).toList();
        lines.forEach(trial.client()::say);
        List<Long> ids = new ArrayList<>();
        int half = MANY / 2;
        for (int i = 0; i < half; i++) {
            ids.add(accept(trial, peer, i, lines.get(i)).id());
        }
        // what was under way comes again; what had its ACK does not
        long from = trial.facts().nanos();
        peer.send(new Frame.Goaway(4007, 200, 500, ""));
        Peer second = trial.back("GOAWAY", from, 200, 500).peer();
        for (int i = half; i < MANY; i++) {
            ids.add(accept(trial, second, i - half, lines.get(i)).id());
        }
        for (int i = 0; i < MANY; i++) {
            int before = ids.subList(Math.max(0, i - KNOWN_IDS + 1), i).indexOf(ids.get(i));
            trial.need(before < 0, "message " + i + " has the id of one before: need 64 different ones in a row");
        }
        return MANY + " messages in order over a reconnect, ids not used again";
    }

    private static String finish(Trial trial) {
        Peer peer = trial.welcomed();
        trial.client().say("one");
        trial.client().say("two");
        trial.client().endInput();
        for (int i = 0; i < 2; i++) {
            Frame.Data data = trial.await(peer, Frame.Data.class, i);
            trial.stays(peer, 2 * Limits.SETTLED, "DATA and before its ACK");
            peer.send(new Frame.Ack(data.id(), 0));
        }
        return goodbye(trial, peer);
    }

    private static String finishAtOnce(Trial trial) {
        Peer peer = trial.welcomed();
        trial.client().endInput();
        return goodbye(trial, peer);
    }

    private static String finishElsewhere(Trial trial) {
        Peer peer = trial.welcomed();
        trial.client().say("lost once");
        trial.client().endInput();
        Frame.Data data = trial.await(peer, Frame.Data.class, 0);
        Peer second = trial.next("the connection after CLOSE 4000", peer.close(NORMAL), Limits.SOON);
        second.send(trial.welcome(Trial.INTERVAL_MILLIS, trial.nextEpoch(), Trial.LIMIT_BYTES));
        Frame.Data again = accept(trial, second, 0, "lost once");
        trial.need(again.equals(data), "another message came after the reconnect: " + again);
        return goodbye(trial, second);
    }

    private static String goodbye(Trial trial, Peer peer) {
        long from = trial.facts().nanos();
        End end = trial.left(peer, "CLOSE 4000", from, Limits.EXIT);
        trial.need(
                end.code() == NORMAL || (trial.carrier() != Carrier.TCP && end.code() == WS_NORMAL),
                "the client left by " + end.how() + ": need CLOSE 4000");
        trial.exited(0, from);
        return end.how() + ", exit status 0 after " + Facts.millis(trial.facts().nanos() - from);
    }

    private static String pieces(Trial trial) {
        Peer peer = trial.greeted();
        peer.sendPiecemeal(trial.welcome(Trial.INTERVAL_MILLIS, trial.nextEpoch(), Trial.LIMIT_BYTES));
        peer.sendPiecemeal(Trial.wanted(1, "in pieces: ü"));
        trial.acknowledged(peer, 0, 1);
        trial.printed(List.of("in pieces: ü"));
        trial.client().say("whole");
        peer.sendPiecemeal(new Frame.Ack(trial.await(peer, Frame.Data.class, 0).id(), 0));
        trial.stays(peer, Limits.SETTLED, "an ACK in pieces");
        return "WELCOME, DATA and ACK byte by byte";
    }

    /** In one write, a long one among them, and with what a later version adds. */
    private static String together(Trial trial) {
        Peer peer = trial.greeted();
        List<String> lines = List.of("a", "x".repeat(65_528), "c");
        peer.send(
                true,
                trial.welcome(Trial.INTERVAL_MILLIS, trial.nextEpoch(), Trial.LIMIT_BYTES),
                Trial.wanted(1, lines.get(0)),
                new Frame.Ack(-7L, 0),
                Trial.wanted(2, lines.get(1)),
                Trial.wanted(3, lines.get(2)));
        for (int i = 0; i < lines.size(); i++) {
            trial.acknowledged(peer, i, i + 1);
        }
        trial.printed(lines);
        trial.client().say("acknowledge me");
        peer.send(true, new Frame.Ack(trial.await(peer, Frame.Data.class, 0).id(), 0));
        long from = trial.facts().nanos();
        peer.send(true, new Frame.Goaway(4200, 200, 500, ""));
        Peer second = trial.back("GOAWAY", from, 200, 500).peer();
        trial.need(second.frames(Frame.Data.class).isEmpty(), "a message was sent again after its ACK");
        return "five frames in one write, one with 65,528 bytes; more in WELCOME, ACK and GOAWAY than they have today";
    }
}
