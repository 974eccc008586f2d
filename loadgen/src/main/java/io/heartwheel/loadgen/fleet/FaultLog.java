package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.Timeouts;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Oracle;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Faults of the gateway that one event loop noted, the first of each kind; and what the oracle is told of a device. */
final class FaultLog {

    private static final double MILLI = 1e6;
    private static final int MOST_DETAIL = 200;
    private static final int MOST_OF_A_KIND = 100;

    private final Map<GatewayFault.Kind, Integer> kinds = new EnumMap<>(GatewayFault.Kind.class);
    private final List<GatewayFault> faults = new ArrayList<>();

    void add(GatewayFault.Kind kind, Device device, long atNanos, int code, long message, String detail) {
        if (kinds.merge(kind, 1, Integer::sum) <= MOST_OF_A_KIND) {
            faults.add(new GatewayFault(
                    kind,
                    device.wireId(),
                    atNanos / 1e9,
                    code,
                    message,
                    detail.length() > MOST_DETAIL ? detail.substring(0, MOST_DETAIL) : detail,
                    device.expectedOutcome().label(),
                    (atNanos - device.lastSentNanos()) / MILLI,
                    device.allowedSilenceNanos() == Timeouts.NEVER
                            ? GatewayFault.UNLIMITED
                            : device.allowedSilenceNanos() / MILLI,
                    device.widestGapNanos() / MILLI));
        }
    }

    List<GatewayFault> faults() {
        return faults;
    }

    /**
     * A close as the device saw it. Where the kernel tells when it came in, that is when it was seen, however late it was read, and of its
     * lateness only time in which the whole process stood still is taken off; elsewhere all in which the loop could not see. A gateway that
     * stood still with it, because their machine did, may count all of that as time in which it could not hear the device.
     *
     * @param stalls of the device's loop
     */
    static Oracle.Close close(Device device, ConnectionEnd ending, int code, LoopStalls stalls, Contract contract) {
        long arrived = device.arrivedNanos(ending);
        boolean told = arrived != LoopContext.UNTOLD;
        long seenNanos = told ? arrived : device.endedNanos();
        long deadline = device.deadlineNanos();
        long ownNanos = 0;
        if (seenNanos > deadline) {
            ownNanos = told ? stalls.wholly(deadline, seenNanos) : stalls.own(deadline, seenNanos);
            ownNanos += seenNanos - deadline - ownNanos > contract.latenessLimitNanos() ? ownBefore(device, stalls) : 0;
        }
        return new Oracle.Close(
                device.expectedOutcome(),
                ending,
                code,
                device.lastSentNanos(),
                device.widestGapNanos(),
                device.allowedSilenceNanos(),
                device.earliestNanos(),
                device.deadlineNanos(),
                seenNanos,
                ownNanos,
                device.dialect().contract().ends(device.expectedOutcome()));
    }

    /** How long the process stood still while a device's deadline was coming: what a gateway beside it may have added. */
    static long ownBefore(Device device, LoopStalls stalls) {
        return stalls.ofProcess(Math.max(device.lastSentNanos(), device.calledNanos()), device.deadlineNanos());
    }

    /** A code with its name; of a connection that ended without one how it did, in the words of a contract. */
    static String codeText(Device device, ConnectionEnd ending, int code) {
        if (code != CloseCodes.NONE) {
            String name = device.dialect().codeName(code);
            return name.equals(String.valueOf(code)) ? name : code + " " + name;
        }
        return switch (ending) {
            case END_OF_STREAM -> "fin";
            case RESET -> "rst";
            default -> "no code";
        };
    }
}
