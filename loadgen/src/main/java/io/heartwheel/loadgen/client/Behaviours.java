package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;
import java.util.List;

/** Factory of all behaviours; those of a few lines are written here, the others have files of their own. */
public final class Behaviours {

    private Behaviours() {}

    /** Beats in time, answers what it is asked, stays. */
    public static Behaviour steady() {
        return new Behaviour("steady") {
            @Override
            long act(Device device, long dueNanos) {
                return device.beat(dueNanos);
            }
        };
    }

    /** Connects and says nothing at all, not even a request to upgrade. */
    public static Behaviour neverHello() {
        return new Behaviour("never-hello") {
            @Override
            public boolean endsInClose() {
                return true;
            }

            @Override
            void connected(Device device) {
                device.expectClose(ExpectedOutcome.UNGREETED);
                device.finish();
            }

            @Override
            long act(Device device, long dueNanos) {
                return SlotRing.DONE;
            }

            @Override
            long deadlineNanos(Device device) {
                return device.calledNanos() + device.timeouts().handshakeNanos();
            }
        };
    }

    /** Beats, and one sign of life, the heartbeat first due after its moment, is its last; the socket stays open. */
    public static Behaviour silent(ActionTime moment) {
        return toBeClosed("silent", moment, (device, dueNanos) -> {
            device.beat(dueNanos);
            device.fallSilent();
        });
    }

    /** Beats and then vanishes: no FIN, no answer, not even from its kernel. */
    public static Behaviour vanishing(ActionTime moment) {
        return toBeClosed("vanishing", moment, (device, dueNanos) -> device.vanish());
    }

    private static Behaviour toBeClosed(String label, ActionTime moment, OneShotBehaviour.Turn turn) {
        return new OneShotBehaviour(label, moment, turn) {
            @Override
            public boolean endsInClose() {
                return true;
            }
        };
    }

    /** Beats and then ends with a RST. */
    public static Behaviour resetting(ActionTime moment) {
        return new OneShotBehaviour("reset", moment, (device, dueNanos) -> device.reset());
    }

    /** Beats and then says goodbye. */
    public static Behaviour leaving(ActionTime moment) {
        return new OneShotBehaviour("leaving", moment, (device, dueNanos) -> device.leave());
    }

    /** Opens a second connection under its id while the first is well. */
    public static Behaviour duplicateId(ActionTime moment) {
        return moving("duplicate-id", moment, false, false);
    }

    /** Comes back from another port with its id; what it had before hears nothing more. */
    public static Behaviour natRebind(ActionTime moment) {
        return moving("nat-rebind", moment, true, false);
    }

    /** Comes back from another address, to the next target if there are several; what it had before hears nothing more. */
    public static Behaviour roaming(ActionTime moment) {
        return moving("roaming", moment, true, true);
    }

    private static Behaviour moving(String label, ActionTime moment, boolean unreachable, boolean elsewhere) {
        OneShotBehaviour.Turn turn = (device, dueNanos) -> {
            device.memo = 1;
            device.moveOn(unreachable, elsewhere);
        };
        return new OneShotBehaviour(label, moment, turn) {
            @Override
            public int sockets() {
                return 2;
            }
        };
    }

    /** Is connected for a while, leaves, stays away for a while, and so on. */
    public static Behaviour flapping(long upNanos, long downNanos) {
        return new Behaviour("flapping") {
            @Override
            long opened(Device device, long nowNanos) {
                device.memo = nowNanos + (long) (upNanos * (0.5 + device.draw()));
                return Math.min(device.memo, super.opened(device, nowNanos));
            }

            @Override
            long act(Device device, long dueNanos) {
                if (dueNanos < device.memo) {
                    return Math.min(device.memo, device.beat(dueNanos));
                }
                device.depart();
                return SlotRing.DONE;
            }

            @Override
            long pauseNanos(Device device) {
                return (long) (downNanos * (0.5 + device.draw()));
            }
        };
    }

    /** Begins a message and sends a byte of it now and then: slower than the gateway allows. */
    public static Behaviour slowWriter(long gapNanos) {
        return new SlowWriter(gapNanos);
    }

    /** Sends questions without end and never reads an answer. */
    public static Behaviour slowReader() {
        return new SlowReader();
    }

    /**
     * Beats, and each {@code every}th time is late by a share of the granted interval.
     *
     * @param untilNanos of observation; from then on it is punctual
     */
    public static Behaviour late(double byShare, int every, long untilNanos) {
        return new LateBehaviour(byShare, every, untilNanos);
    }

    /** Does what was recorded: each device of the group replays the next of these connections, at this speed. */
    public static Behaviour replay(List<RecordedConnection> recorded, double speed) {
        return new Replay(recorded, speed, 0);
    }

    /** Beats, and sends messages at a rate. */
    public static Behaviour chatty(double perSecond, Payload payload) {
        return new MessagingBehaviour(perSecond, payload);
    }
}
