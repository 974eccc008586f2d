package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.RecordedConnection;
import io.heartwheel.loadgen.client.RecordedEnd;
import io.heartwheel.loadgen.client.Timeouts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Recording that a group replays. Immutable.
 *
 * @param lives in order of their connects; empty when the file was bad, which is noted then
 * @param speed at 2 everything happens in half the time
 * @param slowest what the slowest of the servers allows devices that tell no interval
 * @param timeouts other deadlines of the servers
 */
record ReplayPlan(
        List<RecordedConnection> lives, double speed, DeviceDefaults slowest, Contract contract, Timeouts timeouts) {

    private static final long MILLI = 1_000_000L;
    /** For the way up and back. */
    private static final long SECOND = 1_000_000_000L;
    /** A device that does not read needs so long at most to fill every buffer up to the gateway. */
    private static final long FLOOD_NANOS = 30 * SECOND;

    static ReplayPlan read(Block block, DeviceDefaults slowest, Contract contract, Timeouts timeouts) {
        String file = block.text("file", "");
        double speed = block.number("speed", 1, 0.001, 1_000);
        List<RecordedConnection> lives = List.of();
        if (file.isEmpty()) {
            block.wrong("file", "need a recording (a gateway's trace file), here or with --replay FILE");
        } else {
            try {
                Recording recording = Recording.of(Path.of(file));
                lives = recording.lives();
                recording.mistakes().forEach(mistake -> block.wrong("file", mistake));
                boolean told = !lives.isEmpty() || !recording.mistakes().isEmpty();
                block.check(told, "file", "nobody lived in it: need at least one connection");
            } catch (IOException | IllegalArgumentException e) {
                block.wrong("file", "need a file that can be read (" + e + ")");
            }
        }
        return new ReplayPlan(lives, speed, slowest, contract, timeouts);
    }

    /** How long after the run began everything in it has been lived and judged. */
    long lengthNanos() {
        return lives.stream().mapToLong(this::judgedNanos).max().orElse(0);
    }

    /** As much of it as a run of this length can show: who connects later does not come, who ends later stays. */
    ReplayPlan within(long durationNanos) {
        List<RecordedConnection> shown = new ArrayList<>();
        for (RecordedConnection life : lives) {
            if (judgedNanos(life) <= durationNanos) {
                shown.add(life);
            } else if (nanos(life.connectAtMillis()) < durationNanos) {
                shown.add(life.ended(RecordedEnd.UNTOLD));
            }
        }
        return new ReplayPlan(List.copyOf(shown), speed, slowest, contract, timeouts);
    }

    private long judgedNanos(RecordedConnection life) {
        int[] beats = life.beatAtMillis();
        long heard = nanos(beats.length == 0 ? 0 : beats[beats.length - 1]);
        long ended = nanos(life.endedAtMillis());
        long found =
                switch (life.ended()) {
                    case SILENT -> heard + allowedNanos(life);
                    case UNFINISHED -> Math.max(ended, heard + timeouts.progressNanos());
                    case NOT_READING ->
                        heard + FLOOD_NANOS + timeouts.writeNanos() * 17 / 16 + contract.missedAfterNanos();
                    case NEVER_SPOKE -> timeouts.handshakeNanos();
                    default -> ended;
                };
        return nanos(life.connectAtMillis()) + found + contract.missedAfterNanos() + SECOND;
    }

    private long allowedNanos(RecordedConnection life) {
        long interval = life.intervalMillis() > 0 ? nanos(life.intervalMillis()) : slowest.wantedMillis() * MILLI;
        return interval * Math.max(life.graceHundredths(), slowest.graceHundredths()) / 100;
    }

    private long nanos(long millis) {
        return (long) (millis * MILLI / speed);
    }
}
