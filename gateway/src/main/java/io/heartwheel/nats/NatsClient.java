package io.heartwheel.nats;

import io.heartwheel.net.ClientTls;
import io.nats.client.AuthHandler;
import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Client of NATS: the part of its options that says who the servers are, who this gateway is, and how it is kept secret. Immutable; any thread. */
public final class NatsClient {
    private static final int DEEPEST = 16;
    private static final long IDLE_SECONDS = 1;

    private final NatsServers servers;
    private final @Nullable AuthHandler key;
    private final @Nullable SSLContext tls;

    private NatsClient(NatsServers servers, @Nullable AuthHandler key, @Nullable SSLContext tls) {
        this.servers = servers;
        this.key = key;
        this.tls = tls;
    }

    /**
     * Reads the files; connects to nobody yet.
     *
     * @throws IOException if one of them cannot be used, naming it
     */
    public static NatsClient open(NatsServers servers) throws IOException {
        boolean secure = servers.urls().stream().anyMatch(NatsServers::isSecure);
        return new NatsClient(
                servers,
                servers.credentialsFile() == null ? null : NatsKey.open(servers.credentialsFile()),
                secure ? ClientTls.context(servers.caFile(), servers.certificateFile(), servers.keyFile()) : null);
    }

    /**
     * Connects to one of the servers.
     *
     * @param name of the connection, in the server's lists
     * @param patience for each of them
     * @param more options
     * @throws IOException if none of them lets it in, saying what the last one did
     */
    public Connection connect(String name, Duration patience, UnaryOperator<Options.Builder> more)
            throws IOException, InterruptedException {
        NatsLog log = new NatsLog(name);
        ThreadPoolExecutor tells = new ThreadPoolExecutor(
                0, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> daemon(task, name));
        Options.Builder options = Options.builder()
                .servers(servers.urls().toArray(new String[0]))
                .connectionName(name)
                .connectionTimeout(patience)
                .errorListener(log)
                .connectionListener((who, what) -> log.event(what))
                .callbackExecutor(tells);
        if (key != null) {
            options.authHandler(key);
        }
        if (tls != null) {
            options.sslContext(tls)
                    .dataPortType(NatsTlsPort.class.getName())
                    .hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs);
        }
        try {
            return Nats.connect(more.apply(options).build());
        } catch (AuthenticationException e) {
            throw new IOException("NATS " + servers.place() + " does not know this gateway: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException("NATS " + servers.place() + ": " + why(e, log, tells), e);
        }
    }

    /** Why a connection that is lost does not come back, as far as its client has told. Any thread, at once. */
    public Optional<String> failure(Connection lost) {
        Throwable latest = lost.getOptions().getErrorListener() instanceof NatsLog log ? log.latest() : null;
        return Optional.ofNullable(latest).map(this::why);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** The client tells its caller that it failed, and why only the log, on another thread. */
    private String why(IOException told, NatsLog log, ThreadPoolExecutor tells) throws InterruptedException {
        tells.shutdown();
        Throwable latest = tells.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS) ? log.latest() : null;
        return latest == null ? String.valueOf(told.getMessage()) : why(latest);
    }

    private String why(Throwable failure) {
        List<Throwable> causes = Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(DEEPEST)
                .toList();
        if (causes.stream().anyMatch(CertPathBuilderException.class::isInstance)) {
            return "the server's certificate is signed by no authority of "
                    + (servers.caFile() == null ? "the JDK" : servers.caFile());
        }
        for (Throwable each : causes) {
            if (each instanceof CertificateException) {
                return "the server's certificate will not do: " + each.getMessage();
            }
        }
        Throwable first =
                failure instanceof ExecutionException && failure.getCause() != null ? failure.getCause() : failure;
        return first instanceof TimeoutException
                ? "no answer in time"
                : first.getClass().getSimpleName() + ": " + first.getMessage();
    }
}
