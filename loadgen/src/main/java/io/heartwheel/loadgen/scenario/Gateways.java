package io.heartwheel.loadgen.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gateway processes that a run starts itself.
 *
 * @param start whether it does
 * @param count how many; 0: as many as the file descriptors of one process ask for
 * @param javaOptions for each of their virtual machines
 * @param settings lines of configuration, JSON, for inside their {@code heartwheel} block
 * @param services what is started before them
 */
public record Gateways(boolean start, int count, List<String> javaOptions, String settings, List<Service> services) {

    /** More are not started. */
    public static final int MOST = 1_000;

    /** The name that the settings give to that one, counted from 0: the node of its fleet, or its instance; empty: none. */
    public String name(int number) {
        Config given = ConfigFactory.parseString(settings);
        return Stream.of("cluster.node", "instance")
                .filter(given::hasPath)
                .findFirst()
                .map(key -> given.getString(key).replace(Service.NUMBER, Integer.toString(number)))
                .orElse("");
    }

    /** Whether the settings turn TLS on for a listener. */
    boolean secures(String listener) {
        String key = "listeners." + listener + ".tls.enabled";
        Config given = ConfigFactory.parseString(settings);
        return given.hasPath(key) && given.getBoolean(key);
    }
}
