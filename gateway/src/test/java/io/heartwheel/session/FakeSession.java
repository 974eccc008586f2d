package io.heartwheel.session;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection without a channel: the test is the peer, and sees all that the gateway would have sent. Its loop is any executor; the one that
 * comes without saying runs a task where it stands. On a {@link VirtualGateway} it lives in virtual time.
 */
public final class FakeSession extends Session {
    /** Nobody may come in. */
    public static final AuthPolicy NOBODY = new AuthPolicy(
            new Authenticator() {
                @Override
                public String name() {
                    return "nobody";
                }

                @Override
                public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
                    answer.accept(new AuthResult.Refused(AuthCause.WRONG_TOKEN, ""));
                }
            },
            cause -> false,
            0);

    private final String protocol;
    private final String remote;
    private final Executor loop;
    private boolean greeting;

    /** DATA written, in order. */
    public final List<Data> data = new CopyOnWriteArrayList<>();
    /** Numbers of the pings written, in order. */
    public final List<Ping> pings = new CopyOnWriteArrayList<>();
    /** What happens just when somebody asks whether it can acknowledge. */
    public Runnable onAsked = () -> {};
    /** What the peer does when it gets a DATA. */
    public Consumer<Data> onData = data -> {};
    /** Other frames written, in order: WELCOME, PING, PONG, GOAWAY. */
    public final List<String> frames = new CopyOnWriteArrayList<>();
    /** What GOAWAY said, in order. */
    public final List<GoAway> goAways = new CopyOnWriteArrayList<>();
    /** What AUTH said, in order. */
    public final List<Auth> auths = new CopyOnWriteArrayList<>();
    /** The last frame: one at most. */
    public final List<Farewell> closeFrames = new CopyOnWriteArrayList<>();
    /** The peer's address, for those who count by subnet. */
    public byte[] address = {(byte) 192, 0, 2, 1};
    /** Bytes that the channel holds and the socket has not taken. */
    public volatile long pending;
    /** What the peer's kernel has acknowledged; -1: nobody knows. */
    public volatile long acknowledged = -1;
    /** What the peer does when it is asked. */
    public Runnable onProbe = () -> {};
    /** Whether the peer takes what is sent. */
    public volatile boolean drains = true;

    /** One DATA. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Data(long messageId, boolean ackWanted, boolean text, byte[] payload) {}

    /** One ping with a number, behind so many DATA of this connection. */
    public record Ping(long number, int behind) {}

    /** One AUTH. */
    public record Auth(AuthStatus status, long leftMillis) {}

    /** One close. */
    public record Farewell(CloseReason reason, String text) {}

    public FakeSession(SessionContext sessionContext) {
        this(sessionContext, "heartwheel", "192.0.2.1:40000", Runnable::run);
    }

    public FakeSession(SessionContext sessionContext, String protocol, String remote, Executor loop) {
        super(sessionContext);
        this.protocol = protocol;
        this.remote = remote;
        this.loop = loop;
    }

    /** A registry whose rounds are the same each time. */
    public static SessionRegistry registry(LongSupplier nanoClock, LongSupplier wallMicros) {
        return new SessionRegistry(nanoClock, wallMicros, 0, 1);
    }

    /** The same surroundings with another directory. */
    public static SessionContext claimingFrom(Directory<Session> directory, SessionContext there) {
        return with(there, directory, there.sink(), there.observer(), there.stats());
    }

    /** The same surroundings, watched by another. */
    public static SessionContext watchedBy(SessionObserver observer, SessionContext there) {
        return with(there, there.directory(), there.sink(), observer, there.stats());
    }

    /** The same surroundings, whose facts go elsewhere. */
    public static SessionContext publishingTo(EventSink sink, SessionContext there) {
        return with(there, there.directory(), sink, there.observer(), there.stats());
    }

    /** The same surroundings on another loop. */
    public static SessionContext sendingBy(Outbox<Session> outbox, SessionContext there) {
        return with(there, outbox, there.nanoClock(), there.wallMillis());
    }

    static SessionContext with(
            SessionContext there,
            Directory<Session> directory,
            EventSink sink,
            SessionObserver observer,
            LoopStats stats) {
        return with(there, directory, sink, observer, stats, there.outbox(), there.nanoClock(), there.wallMillis());
    }

    /** The same surroundings with other clocks. */
    static SessionContext on(SessionContext there, LongSupplier nanoClock, LongSupplier wallMillis) {
        return with(there, there.outbox(), nanoClock, wallMillis);
    }

    private static SessionContext with(
            SessionContext there, Outbox<Session> outbox, LongSupplier nanoClock, LongSupplier wallMillis) {
        return with(
                there, there.directory(), there.sink(), there.observer(), there.stats(), outbox, nanoClock, wallMillis);
    }

    private static SessionContext with(
            SessionContext there,
            Directory<Session> directory,
            EventSink sink,
            SessionObserver observer,
            LoopStats stats,
            Outbox<Session> outbox,
            LongSupplier nanoClock,
            LongSupplier wallMillis) {
        return new SessionContext(
                there.wheel(),
                there.policy(),
                there.shadowPolicy(),
                directory,
                there.auth(),
                there.quotas(),
                sink,
                observer,
                stats,
                there.expiryQueue(),
                there.stalls(),
                there.breaker(),
                outbox,
                there.place(),
                nanoClock,
                wallMillis);
    }

    /** The connection is accepted. */
    public FakeSession accept(long sessionId) {
        open(sessionId, sessionContext().nanoTime());
        return this;
    }

    /** The device says HELLO. */
    public FakeSession hello(String deviceId, String clientName) {
        return hello(deviceId, clientName, 0);
    }

    /** The device says HELLO and which epoch it remembers. */
    public FakeSession hello(String deviceId, String clientName, long lastEpoch) {
        activity(sessionContext().nanoTime());
        greeting = true;
        hello(deviceId.getBytes(StandardCharsets.UTF_8), new byte[0], 0, lastEpoch, clientName, false);
        greeting = false;
        return this;
    }

    /** The device says HELLO with this token, and that it understands AUTH. */
    public FakeSession helloWith(String deviceId, String token, long wantedMillis) {
        activity(sessionContext().nanoTime());
        byte[] id = deviceId.getBytes(StandardCharsets.UTF_8);
        hello(id, token.getBytes(StandardCharsets.UTF_8), wantedMillis, 0, "", true);
        return this;
    }

    /**
     * The device shows a newer token.
     *
     * @return false if that is a fault of its
     */
    public boolean auth(String token) {
        return renew(token.getBytes(StandardCharsets.UTF_8));
    }

    /** A complete frame comes in. */
    public void beat() {
        frame(3);
    }

    /** A complete frame of this type comes in. */
    public void frame(int type) {
        frameIn(type);
        activity(sessionContext().nanoTime());
    }

    /** Reading stops because the device does not drain, or goes on. */
    public void pause(boolean on, long nowNanos) {
        pauseReading(on, nowNanos);
    }

    /** So many bytes of a frame begun are here; 0: none is begun. */
    public void drip(int bytes) {
        partial(bytes, sessionContext().nanoTime());
    }

    /** A message of the device, with its place among the events of this connection. */
    public ConnectionEvent.Message message(long id) {
        return new ConnectionEvent.Message(
                identity(), nextSequence(), sessionContext().wallMillis().getAsLong(), id, true, new byte[] {'x'});
    }

    /** The device hangs up. */
    public void hangUp() {
        close(CloseReason.PEER_CLOSED, "the peer ended its stream");
    }

    /** Closes for any reason. */
    public void end(CloseReason reason) {
        close(reason, reason.label());
    }

    @Override
    public String protocolName() {
        return protocol;
    }

    @Override
    public boolean takesGoAway() {
        return !protocol.equals("plain");
    }

    @Override
    public String remote() {
        return remote;
    }

    @Override
    public byte[] remoteAddress() {
        return address;
    }

    @Override
    protected String frameName(int type) {
        return "type " + type;
    }

    @Override
    protected Evidence.@Nullable Path path() {
        return null;
    }

    /** It is on its loop while it says HELLO, so an answer that comes at once is taken at once. */
    @Override
    public void onLoop(Runnable task) {
        if (state() == ConnectionState.AUTHENTICATING && greeting) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    @Override
    public boolean canAcknowledge() {
        onAsked.run();
        return !protocol.equals("plain");
    }

    @Override
    public boolean sendData(long messageId, boolean ackWanted, boolean text, byte[] payload) {
        if (!isEstablished() || !drains) {
            return false;
        }
        data.add(new Data(messageId, ackWanted, text, payload));
        onData.accept(data.get(data.size() - 1));
        return true;
    }

    @Override
    public void sendPing(long number) {
        pings.add(new Ping(number, data.size()));
    }

    /** The device sends an ACK. */
    public void ack(long messageId, boolean accepted) {
        if (isEstablished()) {
            peerAcknowledged(messageId, accepted);
        }
    }

    /** The device sends a PONG of eight bytes. */
    public void pong(long number) {
        if (isEstablished()) {
            peerPonged(number);
        }
    }

    /** The device sends a DATA. */
    public void reply(long messageId, boolean text, byte[] payload) {
        if (isEstablished()) {
            peerAnswered(messageId, text, payload);
        }
    }

    /** The device does not take what is sent, or does again. */
    public void drains(boolean now) {
        drains = now;
        if (now) {
            takesDataAgain();
        }
    }

    @Override
    protected void sendProbe() {
        frames.add("PING");
        onProbe.run();
    }

    @Override
    protected void sendKeepAlive() {
        frames.add("PONG");
    }

    @Override
    protected void sendAuth(AuthStatus status, long leftMillis) {
        auths.add(new Auth(status, leftMillis));
    }

    @Override
    protected void sendGoAway(CloseReason reason, GoAway goAway) {
        frames.add("GOAWAY");
        goAways.add(goAway);
    }

    @Override
    protected boolean closeTransport(CloseReason reason, String text) {
        closeFrames.add(new Farewell(reason, text));
        return false;
    }

    @Override
    protected void welcome() {
        frames.add("WELCOME");
    }

    @Override
    public long pendingBytes() {
        return pending;
    }

    @Override
    protected long currentProgressBytes() {
        return 0;
    }

    @Override
    protected long acknowledgedBytes() {
        return acknowledged;
    }

    /** What lies in its socket and is read when reading is paused; then nothing lies there any more. */
    public @Nullable Runnable unread;

    @Override
    protected void readOnce() {
        Runnable waiting = unread;
        unread = null;
        if (waiting != null) {
            waiting.run();
        }
    }

    @Override
    protected long lastHeardMillisAgo() {
        return -1;
    }

    /** Whether the kernel says that nothing waits in its socket. */
    public boolean surelyRead;

    @Override
    protected boolean nothingUnread() {
        return surelyRead;
    }

    @Override
    protected void cut() {
        throw new AssertionError("it never lingers");
    }
}
