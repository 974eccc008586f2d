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
 */
record ReplayPlan(List<RecordedConnection> lives, double speed) {

    private static final long MILLI = 1_000_000L;
    /** For the way up and back. */
    private static final long SECOND = 1_000_000_000L;
    /** A device that does not read needs so long at most to fill every buffer up to the gateway. */
    private static final long FLOOD_NANOS = 30 * SECOND;

    static ReplayPlan read(Block block) {
        String file = block.text("file", "");
        double speed = block.number("speed", 1, 0.001, 1_000);
        if (file.isEmpty()) {
            block.wrong("file", "need a recording (a gateway's trace file), here or with --replay FILE");
            return new ReplayPlan(List.of(), speed);
        }
        try {
            Recording recording = Recording.of(Path.of(file));
            recording.mistakes().forEach(mistake -> block.wrong("file", mistake));
            if (recording.lives().isEmpty() && recording.mistakes().isEmpty()) {
                block.wrong("file", "nobody lived in it: need at least one connection");
            }
            return new ReplayPlan(recording.lives(), speed);
        } catch (IOException | IllegalArgumentException e) {
            block.wrong("file", "need a file that can be read (" + e + ")");
            return new ReplayPlan(List.of(), speed);
        }
    }

    /** How long after the run began everything in it has been lived and judged. */
    long lengthNanos(DeviceDefaults deviceDefaults, Contract contract, Timeouts timeouts) {
        return lives.stream()
                .mapToLong(life -> judgedNanos(life, deviceDefaults, contract, timeouts))
                .max()
                .orElse(0);
    }

    /** As much of it as a run of this length can show: who connects later does not come, who ends later stays. */
    ReplayPlan within(long durationNanos, DeviceDefaults deviceDefaults, Contract contract, Timeouts timeouts) {
        List<RecordedConnection> shown = new ArrayList<>();
        for (RecordedConnection life : lives) {
            if (judgedNanos(life, deviceDefaults, contract, timeouts) <= durationNanos) {
                shown.add(life);
            } else if (nanos(life.connectAtMillis()) < durationNanos) {
                shown.add(life.ended(RecordedEnd.UNTOLD));
            }
        }
        return new ReplayPlan(List.copyOf(shown), speed);
    }

    private long judgedNanos(
            RecordedConnection life, DeviceDefaults deviceDefaults, Contract contract, Timeouts timeouts) {
        int[] beats = life.beatAtMillis();
        long heard = nanos(beats.length == 0 ? 0 : beats[beats.length - 1]);
        long ended = nanos(life.endedAtMillis());
        long found =
                switch (life.ended()) {
                    case SILENT -> heard + allowedNanos(life, deviceDefaults);
                    case UNFINISHED -> Math.max(ended, heard + timeouts.progressNanos());
                    case NOT_READING ->
                        heard + FLOOD_NANOS + timeouts.writeNanos() * 17 / 16 + contract.missedAfterNanos();
                    case NEVER_SPOKE -> timeouts.handshakeNanos();
                    default -> ended;
                };
        return nanos(life.connectAtMillis()) + found + contract.missedAfterNanos() + SECOND;
    }

    private long allowedNanos(RecordedConnection life, DeviceDefaults deviceDefaults) {
        long interval =
                life.intervalMillis() > 0 ? nanos(life.intervalMillis()) : deviceDefaults.wantedMillis() * MILLI;
        return interval * Math.max(life.graceHundredths(), deviceDefaults.graceHundredths()) / 100;
    }

    private long nanos(long millis) {
        return (long) (millis * MILLI / speed);
    }
}
