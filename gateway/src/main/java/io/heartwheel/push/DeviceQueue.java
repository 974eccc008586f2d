package io.heartwheel.push;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.push.PendingMessage.State;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one device that have no result yet, in the order in which they were accepted. It exists while there are any.
 *
 * <pre>
 *   first                                                last
 *   SENT  SETTLED  SENT  PAUSED  SENT  WAITING  WAITING  WAITING
 *   '---- at most 16 SENT -----------' '---- in this order -----'
 * </pre>
 *
 * A new connection gets what is not acknowledged again, in the same order, before anything newer.
 *
 * <p><b>Owner.</b> Everything happens on one loop, home: that of the connection for which the first message came. While the device stays there, this is the loop
 * of its connection, and every call is direct. When it comes back on another loop, what the session tells goes home as a task, and what is to be written comes as
 * one, a message at a time. Tasks of one loop for another keep their order, so an ACK never overtakes the end of the write before it. Two races: the wheel finds
 * a deadline over (jcstress: {@code AckOrDeadlineLeavesNothingStress}); another loop brings a message while the last ends ({@code MessageAsTheQueueEndsIsSentStress}).
 *
 * <p><b>Rows on the disk</b> are read when a connection is there, a page at a time, and are in memory as long as it is. One counter numbers what is accepted in
 * memory and what is committed, and the list is in the order of numbers: what a {@link RowLoader} has not come to waits while there may be rows before it.
 *
 * <p><b>Which connection stands.</b> A session says that it is there, from its own loop, with each message and when it is established; and when it ends, if it was
 * told of this queue. The one with the greatest epoch counts. Whoever was established just before this queue was in the map does not know of it; so when a
 * connection ends, the directory is asked for another.
 */
final class DeviceQueue implements Outbox.Queue<Session>, RowLoader.Taker {
    /** Messages that may be sent and not acknowledged. */
    static final int WINDOW = 16;

    final String deviceId;
    private final Pushes pushes;
    private final Outbox<Session> home;

    // ---- guarded by the lock of the map's bin, see Pushes
    /** Messages accepted and without a result, those on the way here included. */
    private int count;
    /** Bytes of their payloads. */
    private int bytes;
    /** What else keeps it in the map. */
    private int holders;

    // ---- the home loop's alone
    private final List<PendingMessage> messages = new ArrayList<>(1);
    private @Nullable Session session;
    /** Messages SENT: {@link #WINDOW}, and one that waits for nothing but its write. A byte: the object has 56 bytes, with an int 64. */
    private byte unanswered;
    /** One of them is on its way to the session's loop. */
    private boolean writing;
    /** The session does not take data; it will say when it does. */
    private boolean blocked;
    /** {@link #send} is under way, further down the stack. */
    private boolean sending;
    /** It is out of the map. */
    private boolean removed;
    /** It is counted once more for its rows. */
    private boolean holds;

    /** Null: none were waited for yet. */
    private @Nullable RowLoader rows;

    DeviceQueue(Pushes pushes, String deviceId, Outbox<Session> home) {
        this.pushes = pushes;
        this.deviceId = deviceId;
        this.home = home;
    }

    /** Counts one more; else tells the limit that is reached. One alone is always taken. Under the lock of the map's bin. */
    @Nullable
    String count(int payloadBytes, PushSettings limits) {
        String limit = limits.reached(count, bytes, payloadBytes);
        if (limit == null) {
            count++;
            bytes += payloadBytes;
        }
        return limit;
    }

    /** Rows on the disk, however many, keep it once more, or less; whether nothing does. Under the lock of the map's bin. */
    boolean hold(int more) {
        holders += more;
        return count + holders == 0;
    }

    /** One less; whether it was the last. Under the lock of the map's bin. */
    boolean uncount(int payloadBytes) {
        count--;
        bytes -= payloadBytes;
        return count + holders == 0;
    }

    /** Runs the task at home: at once if the loop of this session, which the caller is on, is that. False if home has ended. */
    private boolean atHome(Session caller, Runnable task) {
        if (caller.sessionContext().outbox() == home) {
            task.run();
            return true;
        }
        try {
            home.execute(task);
            return true;
        } catch (RejectedExecutionException ended) {
            return false; // and the process with it
        }
    }

    // ------------------------------------------------------------------ coming and going; loop of the session

    /** Takes in a message that was counted, to be sent over this session or a later one. */
    void enter(Session through, PendingMessage message) {
        through.awaits(this);
        boolean taken = atHome(through, () -> {
            attach(through);
            add(message);
            send();
        });
        if (!taken) {
            end(message, PushResult.refused(Outcome.UNKNOWN, message.push.id(), "the gateway is going down"));
        }
    }

    /** The device is there. */
    void established(Session newer) {
        newer.awaits(this);
        atHome(newer, () -> {
            attach(newer);
            send();
        });
    }

    /** Rows wait for the device; it was counted for them. */
    void rowsWait(Session through, Runnable known) {
        through.awaits(this);
        atHome(through, () -> {
            if (holds) {
                pushes.release(this);
            }
            holds = true;
            if (!attach(through)) {
                loadFromNowOn();
            }
            known.run();
        });
    }

    @Override
    public void closed(Session ended) {
        atHome(ended, () -> {
            if (session == ended) {
                session = null;
                rewind();
                unload();
                letGo();
                pushes.findAnother(this, ended);
            }
        });
    }

    /** Whether it is the one that counts from now on; its rows are read from the first on. */
    private boolean attach(Session newer) {
        if (removed) {
            leave(newer);
        } else if (session == null || newer.epoch() - session.epoch() > 0) {
            session = newer;
            rewind();
            unload();
            if (holds) {
                loadFromNowOn();
            }
            return true;
        }
        return false;
    }

    private void leave(Session from) {
        onLoopOf(from, () -> from.awaitsNoMore(this));
    }

    private static boolean onLoopOf(Session session, Runnable task) {
        try {
            session.onLoop(task);
            return true;
        } catch (RejectedExecutionException ended) {
            return false;
        }
    }

    /** What this device has not acknowledged is sent again. */
    private void rewind() {
        for (PendingMessage message : messages) {
            if (message.state == State.SENT || message.state == State.PAUSED) {
                message.endPause();
                message.state = State.WAITING;
            }
        }
        unanswered = 0;
        writing = false;
        blocked = false;
    }

    private void add(PendingMessage message) {
        Push push = message.push;
        if (message.wants(Push.Ack.DEVICE)
                && first(other -> other.push.id() == push.id() && other.wants(Push.Ack.DEVICE)) != null) {
            end(message, PushResult.idInUse(push.id()));
            return;
        }
        try {
            message.deadline = pushes.timers().once(push.timeoutNanos(), message, home);
        } catch (RejectedExecutionException noRoom) {
            end(message, PushResult.refused(Outcome.FULL, push.id(), String.valueOf(noRoom.getMessage())));
            return;
        }
        insert(message);
    }

    private void insert(PendingMessage message) {
        int at = messages.size();
        while (at > 0 && messages.get(at - 1).number > message.number) {
            at--;
        }
        messages.add(at, message);
    }

    private @Nullable PendingMessage first(Predicate<PendingMessage> wanted) {
        for (PendingMessage message : messages) {
            if (wanted.test(message)) {
                return message;
            }
        }
        return null;
    }

    /** The one way out of a message. */
    private void end(PendingMessage message, PushResult result) {
        if (message.state == State.ENDED) {
            return;
        }
        unanswered = (byte) (unanswered - (message.state == State.SENT ? 1 : 0));
        message.state = State.ENDED;
        message.stopTimers();
        messages.remove(message);
        StoredRow row = message.row;
        if (row != null) {
            pushes.ended(row, result.outcome());
            loadOn();
            letGo();
        } else {
            released(pushes.release(this, message.push));
            message.complete(result);
        }
    }

    private void released(boolean last) {
        if (last) {
            removed = true;
            if (session != null) {
                leave(session);
            }
        }
    }

    /** The deadline of this message has passed. */
    void expired(PendingMessage message) {
        String why = "not sent in time: the device does not read, others wait before it, or it has gone";
        if (message.state == State.SETTLED) {
            why = "acknowledged, and not answered in time";
        } else if (message.known) {
            why = "not acknowledged in time; the device may have it";
        }
        end(message, PushResult.refused(Outcome.EXPIRED, message.push.id(), why));
        send();
    }

    // ------------------------------------------------------------------ rows on the disk

    /** There may be rows that were not there before. */
    private void loadFromNowOn() {
        if (rows == null) {
            rows = new RowLoader(deviceId, this, pushes::rows, pushes.memory(), pushes.timers(), home);
        }
        rows.want();
        load();
    }

    /** Reads on if there is more, and not many of those that were read are still to be acknowledged. */
    private void load() {
        if (session != null && rows != null && rowsUnderWay() < WINDOW) {
            rows.load(session.canAcknowledge());
        }
    }

    /** The same after a row has gone out of the way of others. */
    private void loadOn() {
        if (rows != null) {
            rows.progressed();
            load();
        }
    }

    private int rowsUnderWay() {
        return (int) messages.stream()
                .filter(message -> message.row != null && message.state != State.PAUSED)
                .count();
    }

    @Override
    public boolean take(StoredRow row) {
        long leftNanos = pushes.leftNanos(row);
        if (leftNanos == 0) {
            return true;
        }
        PendingMessage message = new PendingMessage(this, row.push, row.number, row);
        try {
            message.deadline = pushes.timers().once(leftNanos, message, home);
        } catch (RejectedExecutionException noRoom) {
            return false;
        }
        insert(message);
        return true;
    }

    @Override
    public boolean hasRows() {
        return first(message -> message.row != null) != null;
    }

    @Override
    public void loaded() {
        load();
        letGo();
        send();
    }

    /** What was loaded is at rest again: the next connection begins with the first. */
    private void unload() {
        for (PendingMessage message : List.copyOf(messages)) {
            StoredRow row = message.row;
            if (row != null) {
                message.state = State.ENDED;
                message.stopTimers();
                messages.remove(message);
                pushes.unload(row);
            }
        }
        if (rows != null) {
            rows.reset();
            pushes.memory().tell();
        }
    }

    /** The queue may go if it has no rows any more, and nothing else. */
    private void letGo() {
        if (holds && (rows == null || !rows.mayBeMore()) && !hasRows()) {
            holds = false;
            released(pushes.release(this));
        }
    }

    // ------------------------------------------------------------------ looking, taking back; any thread

    /** Adds what is in memory, by number. */
    CompletionStage<Boolean> list(Map<Long, Pushes.Waiting> to) {
        return CompletableFuture.supplyAsync(
                () -> {
                    for (PendingMessage message : messages) {
                        Pushes.Waiting atRest = to.get(message.number);
                        if (message.row == null || atRest != null) {
                            to.put(message.number, message.listed(atRest, pushes.nowNanos()));
                        }
                    }
                    return true;
                },
                home);
    }

    /** Takes back those with this id; whether there were any. */
    CompletionStage<Boolean> cancel(long messageId) {
        return CompletableFuture.supplyAsync(
                () -> {
                    boolean any = false;
                    Predicate<PendingMessage> wanted = message -> message.push.id() == messageId;
                    for (PendingMessage next = first(wanted); next != null; next = first(wanted)) {
                        any = true;
                        String known = next.known ? "taken back; the device may have it" : "taken back, and not sent";
                        end(next, PushResult.refused(Outcome.CANCELLED, messageId, known));
                    }
                    send();
                    return any;
                },
                home);
    }

    // ------------------------------------------------------------------ sending

    private void send() {
        if (sending) {
            return;
        }
        sending = true;
        try {
            while (session != null && !writing && !blocked) {
                PendingMessage next = next(session);
                if (next == null) {
                    break;
                }
                send(session, next);
            }
        } finally {
            sending = false;
        }
    }

    /** The first that may be sent; what this peer cannot acknowledge waits for one that can. */
    private @Nullable PendingMessage next(Session to) {
        boolean acknowledges = to.canAcknowledge();
        PendingMessage next = first(message -> message.state == State.WAITING
                && (acknowledges || !message.wants(Push.Ack.DEVICE))
                && (rows == null || !rows.isBehind(message.number)));
        return next == null || unanswered < WINDOW || next.wants(Push.Ack.SENT) ? next : null;
    }

    private void send(Session to, PendingMessage message) {
        message.state = State.SENT;
        message.ping = message.wants(Push.Ack.RECEIVED) ? pushes.nextPing() : 0;
        unanswered++;
        writing = true;
        boolean again = message.known;
        message.known = true; // the device may answer before we are told that it is written
        long ping = message.ping;
        if (!onLoopOf(to, () -> write(to, message, ping, again))) {
            blocked = true;
        }
    }

    /** Loop of the session. */
    private void write(Session to, PendingMessage message, long ping, boolean again) {
        Push push = message.push;
        boolean written = written(to, push, ping);
        ConnectionEvent.Identity identity = written && push.ack() == Push.Ack.SENT ? to.identity() : null;
        atHome(to, () -> wrote(to, message, again, written, identity));
    }

    private static boolean written(Session to, Push push, long ping) {
        try {
            if (!to.sendData(push.id(), push.ack() == Push.Ack.DEVICE, push.text(), push.payload())) {
                return false;
            }
            if (push.ack() == Push.Ack.RECEIVED) {
                to.sendPing(ping);
            }
            return true;
        } catch (RuntimeException | OutOfMemoryError fault) {
            // else the queue would wait for this write until the connection ends
            boolean noMemory = fault instanceof OutOfMemoryError;
            to.close(noMemory ? CloseReason.OVERLOADED : CloseReason.INTERNAL_ERROR, "a message could not be written");
            return false;
        }
    }

    private void wrote(
            Session to,
            PendingMessage message,
            boolean again,
            boolean written,
            ConnectionEvent.@Nullable Identity identity) {
        if (written && again) {
            pushes.resent();
        }
        if (identity != null) {
            end(message, PushResult.done(Outcome.SENT, message.push.id(), identity));
        }
        if (session != to) {
            return; // it was rewound
        }
        writing = false;
        if (!written) {
            blocked = true;
            message.known = again;
            if (message.state == State.SENT) {
                message.state = State.WAITING;
                unanswered--;
            }
        }
        send();
    }

    @Override
    public void writable(Session to) {
        atHome(to, () -> {
            if (session == to) {
                blocked = false;
                send();
            }
        });
    }

    // ------------------------------------------------------------------ what the device says; loop of the session

    @Override
    public void acknowledged(Session from, long messageId, boolean accepted) {
        atHome(from, () -> {
            PendingMessage message = first(each -> each.known
                    && each.push.id() == messageId
                    && each.wants(Push.Ack.DEVICE)
                    && each.state != State.SETTLED);
            if (message == null || session != from) {
                pushes.strayAck();
            } else if (!accepted) {
                refuse(message);
            } else if (message.push.reply()) {
                settle(message);
            } else {
                end(message, PushResult.done(Outcome.ACKNOWLEDGED, messageId, from.identity()));
            }
            send();
        });
    }

    /** Sent again after 1 s, and after twice as long each time; those behind it go on. */
    private void refuse(PendingMessage message) {
        if (message.state != State.SENT) {
            return;
        }
        unanswered--;
        message.state = State.PAUSED;
        long pauseNanos = TimeUnit.SECONDS.toNanos(message.nextPauseSeconds());
        try {
            message.pause = pushes.timers().once(pauseNanos, () -> pauseOver(message), home);
        } catch (RejectedExecutionException noRoom) {
            // it goes out with the next connection
        }
        loadOn();
    }

    /** It may have been refused again since, over another connection. */
    private void pauseOver(PendingMessage message) {
        if (message.isPauseOver()) {
            message.pause = null;
            message.state = State.WAITING;
            send();
        }
    }

    /** The device has it, and its answer is still to come: it is not sent again. */
    private void settle(PendingMessage message) {
        unanswered = (byte) (unanswered - (message.state == State.SENT ? 1 : 0));
        message.endPause();
        message.state = State.SETTLED;
    }

    @Override
    public void received(Session from, long ping) {
        atHome(from, () -> {
            if (session == from && first(message -> isPinged(message) && message.ping == ping) != null) {
                for (PendingMessage read = readUpTo(ping); read != null; read = readUpTo(ping)) {
                    end(read, PushResult.done(Outcome.RECEIVED, read.push.id(), from.identity()));
                }
                send();
            }
        });
    }

    /** One whose ping was sent no later: a peer that has read the later one has read past this too, and may answer the latest alone (RFC 6455, 5.5.3). */
    private @Nullable PendingMessage readUpTo(long ping) {
        return first(message -> isPinged(message) && message.ping - ping <= 0);
    }

    private static boolean isPinged(PendingMessage message) {
        return message.state == State.SENT && message.wants(Push.Ack.RECEIVED);
    }

    @Override
    public void answered(Session from, long messageId, boolean text, byte[] payload) {
        atHome(from, () -> {
            PendingMessage message = first(each -> each.known && each.push.id() == messageId && each.push.reply());
            if (message != null && session == from) {
                end(
                        message,
                        new PushResult(
                                Outcome.REPLIED, messageId, from.identity(), new PushResult.Reply(text, payload), ""));
                send();
            }
        });
    }
}
