package io.heartwheel.baseline;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;

/**
 * A {@link Crowd} as a process of its own, because one process has not descriptors enough for both ends. Arguments: wire, interval in milliseconds, port, and the version for clients that speak TLS. One command
 * a line on standard input, one answer a line on standard output:
 *
 * <pre>
 *   gather COUNT PER_SECOND   -&gt;  open lost
 *   beat PER_SECOND SECONDS   -&gt;  sent answered lateMicros nanos lost
 *   scatter                   -&gt;  0
 * </pre>
 *
 * It ends with its standard input.
 */
public final class CrowdMain {
    private CrowdMain() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[2]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (Crowd crowd = new Crowd(
                Wire.valueOf(args[0]), Integer.parseInt(args[1]), server, args.length > 3 ? tls(args[3]) : null)) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                System.out.println(answer(crowd, line.split(" ")));
            }
        }
        System.exit(0);
    }

    /** Clients that believe everybody: it is the server that is measured. */
    private static SslContext tls(String version) throws SSLException {
        return SslContextBuilder.forClient()
                .sslProvider(SslProvider.OPENSSL_REFCNT)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .protocols(version)
                .build();
    }

    private static String answer(Crowd crowd, String[] command) throws Exception {
        return switch (command[0]) {
            case "gather" -> {
                int open = crowd.gather(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
                yield open + " " + crowd.lost();
            }
            case "beat" -> {
                Crowd.Round round = crowd.beat(Integer.parseInt(command[1]), Double.parseDouble(command[2]));
                yield round.sent() + " " + round.answered() + " " + round.lateMicros() + " " + round.nanos() + " "
                        + round.lost();
            }
            default -> {
                crowd.scatter();
                yield "0";
            }
        };
    }
}
