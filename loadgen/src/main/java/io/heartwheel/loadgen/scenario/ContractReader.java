package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.ServerContract;
import io.heartwheel.loadgen.client.Timeouts;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a server's contract: in {@code contract} for all targets, in a target's own {@code contract} for that one. A
 * key that is not there leaves what was known before.
 */
final class ContractReader {

    /** What Heartwheel does by default. */
    static final Timeouts TIMEOUTS = new Timeouts(10_000_000_000L, 10_000_000_000L, 128, 90_000_000_000L);

    private static final String LEAST = "100ms";
    private static final String MOST = "30d";

    private ContractReader() {}

    /** What the keys of this block change. */
    static UnaryOperator<ServerContract> changes(Block block) {
        UnaryOperator<ServerContract> deadlines = deadlines(block);
        UnaryOperator<ServerContract> silence = silence(block);
        UnaryOperator<ServerContract> closes = closes(block);
        return contract -> closes.apply(silence.apply(deadlines.apply(contract)));
    }

    private static UnaryOperator<ServerContract> deadlines(Block block) {
        long handshake = block.limit("handshake", LEAST, MOST);
        long write = block.limit("write-progress", LEAST, MOST);
        boolean never = block.says("read-progress", "none");
        Block progress = never ? block.none() : block.in("read-progress");
        long read = never ? Timeouts.NEVER : progress.limit("timeout", LEAST, MOST);
        int rate = progress.bytes("min-rate", 0, 1, 1 << 20);
        return contract -> {
            Timeouts known = contract.timeouts();
            return contract.timingOut(new Timeouts(
                    handshake == 0 ? known.handshakeNanos() : handshake,
                    read == 0 ? known.progressNanos() : read,
                    rate == 0 ? known.progressBytesPerSecond() : rate,
                    write == 0 ? known.writeNanos() : write));
        };
    }

    private static UnaryOperator<ServerContract> silence(Block block) {
        long interval = block.millis("interval", "0s", LEAST, "24h");
        boolean unlimited = block.says("grace", "none");
        int grace = unlimited ? 0 : (int) Math.round(100 * block.number("grace", 0, 1, 10));
        return known -> {
            ServerContract contract = known.allowing(
                    interval == 0 ? known.intervalMillis() : interval, grace == 0 ? known.graceHundredths() : grace);
            return unlimited ? contract.unlimited() : contract;
        };
    }

    private static UnaryOperator<ServerContract> closes(Block block) {
        if (!block.isBlock("close")) {
            AllowedEnds all = ends(block, "close");
            return all == null ? UnaryOperator.identity() : contract -> contract.closingBy(all);
        }
        Block each = block.in("close");
        AllowedEnds silent = ends(each, "silent");
        AllowedEnds hello = ends(each, "never-hello");
        AllowedEnds drip = ends(each, "dripping");
        AllowedEnds stuck = ends(each, "not-reading");
        AllowedEnds taken = ends(each, "taken-over");
        return known -> known.closing(
                silent == null ? known.silent() : silent,
                hello == null ? known.neverHello() : hello,
                drip == null ? known.dripping() : drip,
                stuck == null ? known.stuck() : stuck,
                taken == null ? known.takenOver() : taken);
    }

    private static @Nullable AllowedEnds ends(Block block, String key) {
        List<String> words = block.words(key);
        if (words.isEmpty()) {
            return null;
        }
        return AllowedEnds.parse(words).orElseGet(() -> {
            block.wrong(key, "need " + AllowedEnds.NEED);
            return AllowedEnds.ANY;
        });
    }
}
