package io.heartwheel.loadgen.app;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command that runs a real gateway, ten thousand devices, a tenth of which fall silent, and gives a verdict. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Starts a gateway, runs devices against it, lets some fall silent, and judges what it did.")
final class DemoCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Override
    public Integer call() throws Exception {
        Config own = ConfigFactory.parseMap(Map.of("gateways.start", true));
        return new LocalRun(spec.commandLine().getOut(), options)
                .run(Scenarios.read(options.scenario(), own.withFallback(options.overlay())));
    }
}
