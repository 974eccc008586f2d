package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.List;
import java.util.function.ObjLongConsumer;

/** Factory of all behaviours; those of a few lines are written here, the others have files of their own. */
public final class Behaviours {

    private static final double SECOND = 1e9;

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

    /** Connects in its own time, when others may come in crowds, and then beats in time. */
    public static Behaviour crowd(ActionTime moment) {
        return coming("crowd", moment, 0, CloseCodes.OVERLOADED);
    }

    /** The same, with the device id of another one of the group, two and two: each displaces the other, and comes back at once. */
    public static Behaviour rival(ActionTime moment) {
        return coming("rival", moment, 0, CloseCodes.ID_CONFLICT);
    }

    private static Behaviour coming(String label, ActionTime moment, int number, int turnedAwayBy) {
        return new Behaviour(label) {
            @Override
            public Behaviour of(int other) {
                return coming(label, moment, other, turnedAwayBy);
            }

            @Override
            int turnedAwayBy() {
                return turnedAwayBy;
            }

            @Override
            public int sharedId() {
                return turnedAwayBy == CloseCodes.ID_CONFLICT ? number / 2 : -1;
            }

            @Override
            public long beginsNanos() {
                return moment.nanos(number);
            }

            @Override
            public boolean isCrowd() {
                return true;
            }

            @Override
            long act(Device device, long dueNanos) {
                return device.beat(dueNanos);
            }
        };
    }

    /** Connects and says nothing at all, not even a request to upgrade. */
    public static Behaviour neverHello() {
        return new Behaviour("never-hello", true) {
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
        return once("silent", true, 1, moment, (device, dueNanos) -> {
            device.beat(dueNanos);
            device.fallSilent();
        });
    }

    /** Beats and then vanishes: no FIN, no answer, not even from its kernel. */
    public static Behaviour vanishing(ActionTime moment) {
        return once("vanishing", true, 1, moment, (device, dueNanos) -> device.vanish());
    }

    /** Beats until its time has come, then does something once, at the time the next heartbeat would be due. */
    private static Behaviour once(
            String label, boolean endsInClose, int sockets, ActionTime moment, ObjLongConsumer<Device> action) {
        return new Behaviour(label, endsInClose) {
            @Override
            public int sockets() {
                return sockets;
            }

            @Override
            long act(Device device, long dueNanos) {
                long observedNanos = dueNanos - device.loopContext().observingFromNanos;
                if (device.memo != 0 || !moment.hasCome(device.index(), observedNanos)) {
                    return device.beat(dueNanos);
                }
                action.accept(device, dueNanos);
                return SlotRing.DONE;
            }
        };
    }

    /** Beats and then ends with a RST. */
    public static Behaviour resetting(ActionTime moment) {
        return once("reset", false, 1, moment, (device, dueNanos) -> device.reset());
    }

    /** Beats and then says goodbye. */
    public static Behaviour leaving(ActionTime moment) {
        return once("leaving", false, 1, moment, (device, dueNanos) -> device.leave());
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
        return once(label, false, 2, moment, (device, dueNanos) -> {
            device.memo = 1;
            device.moveOn(unreachable, elsewhere);
        });
    }

    /** Is connected for a while, leaves, stays away for a while, and so on. */
    public static Behaviour flapping(long upNanos, long downNanos) {
        return new Behaviour("flapping") {
            @Override
            public double leavesPerSecond() {
                return SECOND / (upNanos + downNanos);
            }

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
     * Beats, and each {@code every}th time is late by a share of the granted interval. When that is more than its grace, it
     * breaks its promise each time, and the gateway must close it before it speaks again; so that this can be judged, it then
     * speaks only when it must have been closed.
     *
     * @param untilNanos of observation; from then on it is punctual: nobody would see any more that it was closed
     */
    public static Behaviour late(double byShare, int every, long untilNanos) {
        return new Behaviour("late") {
            @Override
            long opened(Device device, long nowNanos) {
                device.memo = 0;
                return super.opened(device, nowNanos);
            }

            @Override
            long act(Device device, long dueNanos) {
                LoopContext<Device> loopContext = device.loopContext();
                device.speakAgain();
                long next = device.beat(dueNanos);
                device.memo++;
                if (device.memo % every != 0 || dueNanos - loopContext.observingFromNanos > untilNanos) {
                    return next;
                }
                long late = loopContext.roundUp(next + (long) (byShare * device.grantedMillis() * 1_000_000L));
                long deadline = device.silenceDeadlineNanos();
                if (late < deadline) {
                    return late;
                }
                device.expectClose(ExpectedOutcome.SILENT);
                return Math.max(late, loopContext.roundUp(deadline + loopContext.missedAfterNanos));
            }
        };
    }

    /** Does what was recorded: each device of the group replays the next of these connections, at this speed. */
    public static Behaviour replay(List<RecordedConnection> recorded, double speed) {
        return new Replay(recorded, speed, 0);
    }

    /** Beats, and sends messages at a rate, at random times (a Poisson process). */
    public static Behaviour chatty(double perSecond, Payload payload) {
        return new Behaviour("chatty") {
            @Override
            long opened(Device device, long nowNanos) {
                device.memo = super.opened(device, nowNanos);
                return Math.min(device.memo, next(device, nowNanos));
            }

            @Override
            long act(Device device, long dueNanos) {
                device.sendAgain(false);
                if (dueNanos >= device.memo) {
                    device.memo = device.beat(dueNanos);
                } else if (!device.loopContext().hushed) {
                    device.message(dueNanos, payload.bytes(device.draw()));
                }
                return Math.min(device.memo, next(device, dueNanos));
            }

            /** Exponentially distributed gaps make a Poisson process. */
            private long next(Device device, long fromNanos) {
                double gap = -Math.log(1 - device.draw()) / perSecond * SECOND;
                return device.loopContext().roundUp(fromNanos + (long) Math.min(gap, Long.MAX_VALUE / 4.0));
            }
        };
    }
}
