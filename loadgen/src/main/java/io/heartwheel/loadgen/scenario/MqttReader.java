package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.MqttDialect;
import io.heartwheel.loadgen.client.MqttSettings;
import io.heartwheel.loadgen.client.MqttTopics;
import io.heartwheel.loadgen.client.Template;
import java.util.List;

/** Reader of the {@code mqtt} block of a target: as whom devices connect, what they publish and subscribe to. Stateless. */
final class MqttReader {

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final int MOST_QOS = 1;

    private MqttReader() {}

    /** How devices speak MQTT to this target. */
    static Target.Speech speech(Block target, boolean version5, boolean echo) {
        MqttSettings settings = settings(target.in("mqtt"), version5, echo);
        return host -> new MqttDialect(settings);
    }

    private static MqttSettings settings(Block block, boolean version5, boolean echo) {
        MqttSettings standard = MqttSettings.standard(version5);
        Template topic = template(block, "topic", standard.topic());
        MqttSettings settings = new MqttSettings(
                version5,
                template(block, "client-id", standard.clientId()),
                template(block, "user", standard.user()),
                template(block, "password", standard.password()),
                block.flag("clean", standard.clean()),
                block.nanos("session-expiry", "0s", "0s", "365d") / SECOND_NANOS,
                block.integer("qos", standard.qos(), 0, MOST_QOS),
                topic,
                template(block, "subscribe", echo ? topic : standard.filter()));
        identity(block, settings);
        topics(block, settings, echo);
        return settings;
    }

    private static Template template(Block block, String key, Template otherwise) {
        return block.made(key, () -> Template.of(block.text(key, otherwise.toString())), otherwise);
    }

    private static void identity(Block block, MqttSettings settings) {
        String id = settings.clientId().toString();
        if (!id.isEmpty() && !id.contains("{id}") && !id.contains("{number")) {
            block.wrong("client-id", "need {id} or {number} in it: devices of one client id take each other over");
        }
        if (!settings.version5()) {
            boolean named = !settings.user().isEmpty() || settings.password().isEmpty();
            String lasting = "need protocol mqtt5: 3.1.1 has clean = false alone";
            block.check(
                    !id.isEmpty(),
                    "client-id",
                    "need one, or protocol mqtt5: only there a broker tells the id it chose");
            block.check(named, "password", "need a user too [MQTT-3.1.2-22]");
            block.check(settings.sessionExpirySeconds() == 0, "session-expiry", lasting);
        }
    }

    private static void topics(Block block, MqttSettings settings, boolean echo) {
        String topic = settings.topic().toString();
        String filter = settings.filter().toString();
        block.check(MqttTopics.isTopic(topic), "topic", "need a topic name, without + and #");
        if (!filter.isEmpty() && !MqttTopics.isFilter(filter)) {
            block.wrong("subscribe", "need a topic filter: + for a whole level, # for the last one");
        } else if (echo && !MqttTopics.matches(filter, topic)) {
            block.wrong("subscribe", "need a filter that matches topic = " + topic + ", or echo = false");
        }
    }

    /** What the rest of a scenario must not say when there is an MQTT target: the keep-alive is told in whole seconds. */
    static void check(DeviceDefaults deviceDefaults, Gateways gateways, List<Target> targets, Block scenario) {
        if (targets.stream()
                .noneMatch(target -> target.protocol() == Protocol.MQTT || target.protocol() == Protocol.MQTT5)) {
            return;
        }
        long intervalMillis = deviceDefaults.wantedMillis();
        boolean plain = !deviceDefaults.idPrefix().matches(".*[+#\\x00].*");
        boolean seconds = intervalMillis % 1_000 == 0 && intervalMillis <= MqttSettings.MOST_KEEP_ALIVE * 1_000L;
        String unspoken = "need false for an mqtt target: the gateways of a run do not speak it";
        String needSeconds = "need whole seconds, 1s.." + MqttSettings.MOST_KEEP_ALIVE + "s, for an mqtt target";
        scenario.check(!gateways.start(), "gateways.start", unspoken);
        scenario.check(plain, "id-prefix", "need one without + and # for an mqtt target");
        scenario.check(seconds, "heartbeat.interval", needSeconds);
    }
}
