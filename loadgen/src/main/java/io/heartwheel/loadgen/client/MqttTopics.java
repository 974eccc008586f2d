package io.heartwheel.loadgen.client;

/** Topic names and filters (section 4.7 of both versions). Stateless. */
public final class MqttTopics {

    private static final String SHARED = "$share/";

    private MqttTopics() {}

    /** Whether a topic filter is well formed: {@code +} fills a level, {@code #} the last one, and none is empty as a whole. */
    public static boolean isFilter(String filter) {
        if (filter.isEmpty() || filter.indexOf('\0') >= 0) {
            return false;
        }
        String[] levels = filter.split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            String level = levels[i];
            boolean wild = level.indexOf('+') >= 0 || level.indexOf('#') >= 0;
            if (wild && (level.length() > 1 || (level.equals("#") && i < levels.length - 1))) {
                return false;
            }
        }
        return true;
    }

    /** Whether a topic can be published to. */
    public static boolean isTopic(String topic) {
        return isFilter(topic) && topic.indexOf('+') < 0 && topic.indexOf('#') < 0;
    }

    /** Whether a message to this topic comes to who subscribed to this filter. */
    public static boolean matches(String filter, String topic) {
        String own = filter.startsWith(SHARED) ? filter.substring(filter.indexOf('/', SHARED.length()) + 1) : filter;
        if (topic.startsWith("$") && (own.startsWith("+") || own.startsWith("#"))) {
            return false;
        }
        int at = 0;
        int in = 0;
        while (at <= own.length()) {
            String level = level(own, at);
            if (level.equals("#")) {
                return true;
            }
            if (in > topic.length()) {
                return false;
            }
            String said = level(topic, in);
            if (!level.equals("+") && !level.equals(said)) {
                return false;
            }
            at += level.length() + 1;
            in += said.length() + 1;
        }
        return in > topic.length();
    }

    private static String level(String text, int from) {
        int slash = text.indexOf('/', from);
        return text.substring(from, slash < 0 ? text.length() : slash);
    }
}
