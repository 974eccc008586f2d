package io.heartwheel.loadgen.scenario;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigRenderOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reader of the block {@code gateways} of a scenario: those that a run starts, and the services beside them. One thread. */
record GatewaysReader(Block block) {

    private static final String NAME = "[a-z][a-z0-9]{0,15}";
    private static final String FILE = "[A-Za-z0-9_][A-Za-z0-9._-]{0,63}";
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[a-z][a-z0-9-]*:[a-z0-9-]*\\}");

    Gateways gateways() {
        boolean start = block.flag("start", false);
        String settings = ConfigFactory.parseMap(block.raw("settings")).root().render(ConfigRenderOptions.concise());
        List<Block> blocks = block.each("services");
        List<Service> services = new ArrayList<>();
        for (Block each : blocks) {
            Service service = service(each);
            boolean another = services.stream().noneMatch(known -> known.name().equals(service.name()))
                    && !service.name().equals("gateway")
                    && !service.name().equals("port");
            each.check(another, "name", "need one that no other service has, and not gateway or port");
            services.add(service);
        }
        block.check(start || services.isEmpty(), "services", "need start = true: they are for gateways of this run");
        Set<String> known = new TreeSet<>();
        for (Service service : services) {
            service.ports().forEach(port -> {
                for (int i = 0; i < service.count(); i++) {
                    known.add(service.port(i, port));
                }
            });
        }
        if (!services.isEmpty()) {
            check(block, "settings", List.of(settings), known);
        }
        for (int i = 0; i < services.size(); i++) {
            Set<String> here = new TreeSet<>(known);
            services.get(i).ports().forEach(port -> here.add(Service.own(port)));
            check(blocks.get(i), "arguments", services.get(i).command(), here);
            check(blocks.get(i), "files", services.get(i).files().values(), here);
        }
        return new Gateways(
                start, block.integer("count", 1, 0, Gateways.MOST), block.texts("java-options"), settings, services);
    }

    private static Service service(Block block) {
        String name = block.text("name", "");
        block.check(name.matches(NAME), "name", "need a-z and 0-9, 1..16 characters, the first a letter");
        List<String> command = new ArrayList<>(List.of(block.text("command", "")));
        block.check(!command.get(0).isBlank(), "command", "need a program: a file, or a name on the path");
        command.addAll(block.texts("arguments"));
        List<String> ports = block.texts("ports");
        boolean named = !ports.isEmpty() && ports.stream().allMatch(port -> port.matches(NAME));
        block.check(named, "ports", "need names of the ports that each process is given: a-z and 0-9");
        String ready = block.text("ready-port", ports.isEmpty() ? "" : ports.get(0));
        block.check(ports.contains(ready), "ready-port", "need one of ports: " + String.join(", ", ports));
        Map<String, String> files = new LinkedHashMap<>();
        block.raw("files").forEach((file, text) -> files.put(file, String.valueOf(text)));
        boolean plain = files.keySet().stream().allMatch(file -> file.matches(FILE));
        block.check(plain, "files", "need file names of letters, digits, . _ and -, in quotes, and their texts");
        return new Service(
                name,
                block.integer("count", 1, 1, Service.MOST_PROCESSES),
                List.copyOf(command),
                ports,
                ready,
                Map.copyOf(files),
                block.text("install", ""));
    }

    private static void check(Block block, String key, Iterable<String> texts, Set<String> known) {
        for (String text : texts) {
            for (Matcher found = PLACEHOLDER.matcher(text); found.find(); ) {
                boolean right = known.contains(found.group());
                block.check(right, key, found.group() + " is nobody's port: need one of " + String.join(" ", known));
            }
        }
    }
}
