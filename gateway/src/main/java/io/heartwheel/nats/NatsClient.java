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
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Client of NATS: the part of its options that says who the servers are, who this gateway is, and how it is kept secret. Immutable; any thread. */
public final class NatsClient {
    private static final int DEEPEST = 16;

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
        Options.Builder options = Options.builder()
                .servers(servers.urls().toArray(new String[0]))
                .connectionName(name)
                .connectionTimeout(patience)
                .errorListener(log)
                .connectionListener(log)
                // a client that gives up waits for this thread of its own, so that the log knows why by then
                .callbackThreadFactory(task -> daemon(task, name));
        if (key != null) {
            options.authHandler(key);
        }
        if (tls != null) {
            options.sslContext(tls).dataPortType(NatsTlsPort.class.getName()).enableFastFallback();
        }
        try {
            return Nats.connect(more.apply(options).build());
        } catch (AuthenticationException e) {
            throw new IOException("NATS " + servers.place() + " does not know this gateway: " + e.getMessage(), e);
        } catch (IOException e) {
            Throwable latest = log.latest();
            throw new IOException("NATS " + servers.place() + ": " + (latest == null ? e.getMessage() : why(latest)), e);
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
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
        Throwable first = failure instanceof ExecutionException && failure.getCause() != null ? failure.getCause() : failure;
        return first.getClass().getSimpleName() + ": " + first.getMessage();
    }
}
