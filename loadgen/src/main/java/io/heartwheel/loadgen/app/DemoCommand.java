package io.heartwheel.loadgen.app;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A real gateway, ten thousand devices, a tenth of which fall silent, and a verdict. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Starts a gateway, plays devices against it, lets some fall silent, and judges what it did.")
final class DemoCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Mixin
    private GatewayOptions gateway = new GatewayOptions();

    @Override
    public Integer call() throws Exception {
        Config own = ConfigFactory.parseMap(Map.of("gateways.start", true));
        Config overlay = own.withFallback(gateway.overlay()).withFallback(options.overlay());
        return new LocalRun(spec.commandLine().getOut(), options, gateway.jar())
                .run(Scenarios.read(options.scenario(), overlay));
    }

    /** How gateways are started. */
    static final class GatewayOptions {

        @Option(
                names = "--gateway-jar",
                paramLabel = "FILE",
                description = "The gateway (default: gateway/target/heartwheel-gateway.jar beside this module).")
        private @Nullable Path jar;

        @Option(
                names = "--gateway-java",
                paramLabel = "OPTION",
                description =
                        "Option for the gateway's virtual machine, for example -Xmx2g or -Dheartwheel.x=y; repeatable.")
        private List<String> java = new ArrayList<>();

        @Nullable
        Path jar() {
            return jar;
        }

        Config overlay() {
            Map<String, Object> keys = new LinkedHashMap<>();
            if (!java.isEmpty()) {
                keys.put("gateways.java-options", java);
            }
            return ConfigFactory.parseMap(keys, "command line");
        }
    }
}
