package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Timing;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one device, in whatever protocol: sends them, knows them again by id or content, and tells the observer what its {@link MessageTracker}
 * judges. Only devices that have some have one. Owner: the device's event loop.
 *
 * @param <D> the device, as its observer is told of it
 */
final class DeviceMessages<D> implements Messages {

    /** A refused message is sent again so much later, with the next thing the device does. */
    static final long RETRY_NANOS = 250_000_000L;

    private final HeartbeatConnection<D> device;
    private final LoopContext<D> loop;
    private final MessageContract contract;
    private final MessageTracker tracker;

    DeviceMessages(HeartbeatConnection<D> device) {
        this.device = device;
        this.loop = device.loopContext();
        this.contract = loop.messageContract();
        boolean resend = contract.resend() && device.dialect().acknowledges(device);
        this.tracker = new MessageTracker(contract, resend, loop::stoodStillNanos, this::fault);
    }

    private void fault(MessageFault what, long id, long sentNanos, long waitedNanos, String detail) {
        boolean acknowledgement = what == MessageFault.ACKNOWLEDGED_LATE || what == MessageFault.UNACKNOWLEDGED;
        long allowed = acknowledgement ? contract.answerWithinNanos() : contract.echoWithinNanos();
        String sent = sentNanos < 0 ? "" : HeartbeatConnection.at(sentNanos);
        String late = waitedNanos > allowed ? HeartbeatConnection.after(waitedNanos, allowed) : "";
        String more = detail.isEmpty() ? "" : ": " + detail;
        loop.observer.messageFault(device.self(), what, id, "message " + id + sent + " " + what.text() + late + more);
    }

    private void tell(MessageTracker.Fact fact) {
        loop.observer.message(device.self(), fact);
    }

    /** Whether what comes now may be late. */
    private boolean excused(long nowNanos) {
        return loop.inOutage(nowNanos) || !device.isOwed();
    }

    // ---- sending

    /**
     * Sends one due at this time.
     *
     * @param cut whether the network is: what becomes of it nobody knows
     */
    void send(long dueNanos, int bytes, boolean cut) {
        long now = loop.clock.nanos();
        loop.observer.acted(device.self(), now - dueNanos);
        if (tracker.isFull(device.dialect().mostUnderWay(device))) {
            tell(MessageTracker.Fact.HELD_BACK);
            return;
        }
        int fitting = Math.min(bytes, device.dialect().mostBytes(device));
        boolean acknowledged = device.dialect().acknowledges(device);
        long id = tracker.send(dueNanos, now, acknowledged, fitting);
        write(id, fitting);
        if (cut) {
            tracker.excuse();
        }
        tell(acknowledged ? MessageTracker.Fact.SENT : MessageTracker.Fact.SENT_UNASKED);
    }

    private void write(long id, int bytes) {
        loop.uplink.sent(device.self(), id, bytes);
        device.dialect().data(device, id, bytes);
    }

    /**
     * Sends messages that were not accepted again, in their order: all of them, or those that were refused a while ago.
     * Nothing where the scenario does not want it.
     */
    void sendAgain(boolean all) {
        long now = loop.clock.nanos();
        for (long id = tracker.nextHeld(1); id > 0; id = tracker.nextHeld(id + 1)) {
            if (all || now - tracker.heldSinceNanos(id) >= RETRY_NANOS) {
                int bytes = tracker.length(id);
                tracker.again(id, now);
                write(id, bytes);
                tell(MessageTracker.Fact.RESENT);
            }
        }
    }

    @Override
    public long newest() {
        return tracker.newest();
    }

    @Override
    public long oldest() {
        return tracker.oldest();
    }

    // ---- what comes

    @Override
    public void acknowledged(long told, boolean accepted) {
        long now = loop.clock.nanos();
        boolean named = told != DeviceConnection.UNNAMED;
        long id = named ? told : tracker.nextToAcknowledge(now);
        MessageTracker.Fact fact = tracker.acknowledge(id, named, accepted, now, excused(now), device.leaving());
        if (fact == MessageTracker.Fact.ACCEPTED || fact == MessageTracker.Fact.REFUSED) {
            measured(Timing.DATA_ROUND_TRIP, Timing.DATA_ROUND_TRIP_UNCORRECTED);
        }
        if (fact == MessageTracker.Fact.ACCEPTED) {
            loop.uplink.accepted(device.self(), id);
        } else if (fact == MessageTracker.Fact.UNASKED) {
            device.violated("an acknowledgement of message " + id + ", which was not sent on this connection");
        }
        tell(fact);
    }

    private void measured(Timing intended, Timing sent) {
        loop.observer.timed(intended, tracker.sinceDueNanos());
        loop.observer.timed(sent, tracker.sinceSentNanos());
    }

    @Override
    public boolean cameBackEarlier(long id) {
        return tracker.cameBackEarlier(id);
    }

    private long owner(ByteBuf in, int at, int length) {
        return Content.owner(in, at, length, loop.seed, loop.devices);
    }

    @Override
    public boolean isOwn(ByteBuf in, int at, int length, boolean forgotten) {
        long owner = owner(in, at, length);
        long id = owner & 0xFFFF_FFFFL;
        return owner >>> Integer.SIZE == device.index() && (forgotten || tracker.isEarlier(id));
    }

    @Override
    public boolean misdelivered(ByteBuf in, int at, int length) {
        long owner = owner(in, at, length);
        int sender = (int) (owner >>> Integer.SIZE);
        if (owner < 0 || sender == device.index()) {
            return false;
        }
        loop.observer.misdelivered(device.self(), sender, (int) owner);
        return true;
    }

    /** A message with one of our ids is our own, come back; any other id is the gateway's. One without content is the next that has to come back. */
    @Override
    public void received(long told, boolean text, @Nullable ByteBuf in, int at, int length) {
        boolean named = told != DeviceConnection.UNNAMED;
        if ((in != null && misdelivered(in, at, length)) || (!named && !contract.echo())) {
            return;
        }
        long id = named ? told : in == null ? tracker.next() : recognised(text, in, at, length);
        if (tracker.wasSent(id)) {
            String wrong = in == null ? "" : text ? "as text" : difference(id, in, at, length);
            boolean again = tracker.length(id) >= 0 && !tracker.isAwaited(id);
            cameBack(id);
            if (!wrong.isEmpty() && !again) {
                tracker.changed(id, wrong);
            }
        } else if (!named && in != null) {
            tracker.unknown(text ? "as text" : difference(tracker.next(), in, at, length));
        }
    }

    private void cameBack(long id) {
        long now = loop.clock.nanos();
        MessageTracker.Fact fact = tracker.echo(id, now, excused(now));
        if (fact == MessageTracker.Fact.ECHOED) {
            measured(Timing.ECHO_ROUND_TRIP, Timing.ECHO_ROUND_TRIP_UNCORRECTED);
        }
        tell(fact);
        if (tracker.cameAfterItsAcknowledgement()) {
            loop.echoFollowed();
        }
    }

    /** The one whose name it begins with; else the next that has to come back if it is that, or the one that it is most like; 0: none. */
    private long recognised(boolean text, ByteBuf in, int at, int length) {
        long named = owner(in, at, length);
        long next = tracker.next();
        boolean isNext = tracker.isAwaited(next) && same(next, in, at, length) == length;
        return named >= 0 ? (int) named : text ? 0 : isNext ? next : mostLike(in, at, length);
    }

    /** In what it is not the message that was sent; empty when it is. */
    private String difference(long id, ByteBuf in, int at, int length) {
        int sent = tracker.length(id) < 0 ? length : tracker.length(id);
        int same = Math.min(sent, length);
        int from = Content.difference(in, at, same, loop.seed, device.index(), id);
        if (from < 0 && sent == length) {
            return "";
        }
        return "with " + length + " of " + sent + " bytes, other ones from offset " + (from < 0 ? same : from) + " on";
    }

    /** The message that has as many bytes and more than half of them in common with it, one that is awaited before one that came back; 0: none. */
    private long mostLike(ByteBuf in, int at, int length) {
        long best = 0;
        int most = length == 0 ? -1 : length / 2;
        for (long id = tracker.firstKnown(); id <= tracker.newest(); id++) {
            int same = same(id, in, at, length);
            if (same > most || (same == most && best > 0 && tracker.isAwaited(id) && !tracker.isAwaited(best))) {
                best = id;
                most = same;
            }
        }
        return best;
    }

    /** How many bytes it has in common with a message of the same length. */
    private int same(long id, ByteBuf in, int at, int length) {
        return tracker.length(id) == length ? Content.same(in, at, length, loop.seed, device.index(), id) : -1;
    }

    // ---- the end

    /** Its connection is over. */
    void disconnected(long endNanos, boolean excused) {
        tracker.disconnected(endNanos, excused);
    }

    /** The network was cut: what is under way may come back or not. */
    void excuse() {
        tracker.excuse();
    }

    /** Tells what became of them; answers how many the end of their connection left open. */
    long judge(long nowNanos, long openedNanos) {
        return tracker.account(nowNanos, openedNanos, loop.echoesFollow());
    }
}
