package io.heartwheel.loadgen.scenario;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses with their ports, as people write them: {@code 127.0.0.1:7070}, {@code [::1]:7070}, {@code localhost:0}. */
public final class Addresses {

    private static final Pattern FORM = Pattern.compile("(.+):([0-9]{1,5})");
    private static final int MOST_PORT = 65_535;

    private Addresses() {}

    /** Looks the host up, which may take seconds; empty when the text is not what {@link #need} says. */
    public static Optional<InetSocketAddress> of(String text, int leastPort) {
        Matcher matcher = FORM.matcher(text);
        int port = matcher.matches() ? Integer.parseInt(matcher.group(2)) : -1;
        if (port < leastPort || port > MOST_PORT) {
            return Optional.empty();
        }
        return Optional.of(new InetSocketAddress(matcher.group(1), port)).filter(found -> !found.isUnresolved());
    }

    /** What {@link #of} takes, in words. */
    public static String need(int leastPort) {
        return "need host:port of a host that is known, port " + leastPort + ".." + MOST_PORT;
    }

    /**
     * An address to listen on or to find an agent at; port 0 is one.
     *
     * @param key what it was given as, for the message
     * @throws IllegalArgumentException naming key, value and form
     */
    public static InetSocketAddress read(String key, String text) {
        return of(text, 0).orElseThrow(() -> new IllegalArgumentException(key + " = " + text + ": " + need(0)));
    }

    /** As {@link #of} takes it. */
    public static String text(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
