package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.scenario.Addresses;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;

/**
 * Server of an agent: runs devices for a coordinator on another machine. Whoever connects must prove within 5 s that he knows the token; at most
 * {@value #MOST_UNPROVEN} may be at that at a time, and one coordinator at a time is served. When the coordinator is gone, so
 * are the workers: a closed connection is seen at once, a vanished machine by keep-alive probes within
 * half a minute, or after ten minutes without a question.
 *
 * <p>The token keeps strangers out; it does not hide or protect what is said afterwards. Listen in a private network, or
 * on loopback behind ssh or WireGuard.
 *
 * <p>Few connections, so blocking sockets and a thread each. {@link #serve} belongs to one thread, {@link #close} may come
 * from any.
 */
public final class AgentServer implements AutoCloseable {

    /** Connections that have proved nothing yet. */
    static final int MOST_UNPROVEN = 8;

    /** A coordinator is silent while its gateways and our workers start; keep-alive finds a vanished one much sooner. */
    private static final int SILENCE_MILLIS = 600_000;

    private static final int BACKLOG = 16;
    private static final int KEEP_ALIVE_IDLE_SECONDS = 10;
    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 5;
    private static final int KEEP_ALIVE_PROBES = 4;
    private static final long ACCEPT_PAUSE_MILLIS = 100;

    private final ServerSocket listener;
    private final Token token;
    private final Function<Assignment, ? extends Worker> factory;
    private final Supplier<MachineLimits> limits;
    private final Consumer<String> log;
    private final Semaphore unproven = new Semaphore(MOST_UNPROVEN);
    private final Semaphore place = new Semaphore(1);
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /**
     * Listens; nobody is served before {@link #serve}.
     *
     * @param factory what runs an assignment of any number of shares
     * @param limits what this machine allows
     * @param log told a line when a coordinator comes, goes or is refused; any thread
     */
    public AgentServer(
            InetSocketAddress listen,
            Token token,
            Function<Assignment, ? extends Worker> factory,
            Supplier<MachineLimits> limits,
            Consumer<String> log)
            throws IOException {
        this.token = token;
        this.factory = factory;
        this.limits = limits;
        this.log = log;
        this.listener = new ServerSocket();
        listener.setReuseAddress(true);
        try {
            listener.bind(listen, BACKLOG);
        } catch (IOException e) {
            listener.close();
            throw new IOException("listen = " + Addresses.text(listen) + ": " + e.getMessage(), e);
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Serves until it is closed. */
    public void serve() throws InterruptedException {
        while (!closed) {
            try {
                admit(listener.accept());
            } catch (IOException e) {
                if (!closed) {
                    log.accept("cannot accept: " + e.getMessage());
                    TimeUnit.MILLISECONDS.sleep(ACCEPT_PAUSE_MILLIS);
                }
            }
        }
    }

    private void admit(Socket socket) throws IOException {
        if (!unproven.tryAcquire()) {
            socket.close();
            return;
        }
        sockets.add(socket);
        new DefaultThreadFactory("coordinator", true)
                .newThread(() -> attend(socket))
                .start();
        if (closed) {
            socket.close();
        }
    }

    private void attend(Socket socket) {
        String who = String.valueOf(socket.getRemoteSocketAddress());
        try (socket) {
            LineChannel lines =
                    new LineChannel(socket.getInputStream(), socket.getOutputStream(), TokenHandshake.MOST_LINE_BYTES);
            if (handshake(socket, lines)) {
                converse(socket, lines, who);
            }
        } catch (IOException e) {
            log.accept(who + " refused: " + e.getMessage());
        } finally {
            sockets.remove(socket);
        }
    }

    /** Whether the coordinator is let in; then the place is his. */
    private boolean handshake(Socket socket, LineChannel lines) throws IOException {
        CompletableFuture<Void> over = TokenHandshake.limit(socket);
        try {
            socket.setTcpNoDelay(true);
            TokenHandshake handshake = new TokenHandshake(lines, token);
            byte[] proof = handshake.challenge();
            if (!place.tryAcquire()) {
                handshake.refuse("busy with another coordinator");
                return false;
            }
            try {
                handshake.welcome(proof);
            } catch (IOException e) {
                place.release();
                throw e;
            }
            return true;
        } finally {
            over.complete(null);
            unproven.release();
        }
    }

    private void converse(Socket socket, LineChannel lines, String who) {
        try {
            socket.setSoTimeout(SILENCE_MILLIS);
            socket.setKeepAlive(true);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_INTERVAL_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
            lines.limit(Json.MOST_LINE_BYTES);
            log.accept(who + " conducts");
            new WorkerLoop(lines, factory, limits, () -> log.accept(who + " is gone")).run();
            log.accept(who + " has ended");
        } catch (IOException e) {
            log.accept(who + " is gone: " + e.getMessage());
        } finally {
            place.release();
        }
    }

    /** Stops listening and hangs up on everybody; their workers end. */
    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        sockets.forEach(TokenHandshake::hangUp);
    }
}
