package io.heartwheel.loadgen.client;

/**
 * MQTT settings of one target: identity, session, topic and subscription of its devices. Immutable; any thread.
 *
 * @param version5 whether they speak version 5; else 3.1.1
 * @param clientId of each device; empty: the server chooses one
 * @param user user name; empty: none
 * @param password empty: none
 * @param clean Clean Session, in version 5 Clean Start: nothing is left of an earlier connection
 * @param sessionExpirySeconds in version 5: for how long a session outlives its connection, 0..4294967295
 * @param qos of messages and of the subscription, 0 or 1
 * @param topic that a device publishes to
 * @param filter that it subscribes to; empty: to nothing
 */
public record MqttSettings(
        boolean version5,
        Template clientId,
        Template user,
        Template password,
        boolean clean,
        long sessionExpirySeconds,
        int qos,
        Template topic,
        Template filter) {

    /** Largest keep-alive, seconds. */
    public static final int MOST_KEEP_ALIVE = 0xFFFF;

    /** What a target has of which nothing else is said: a client id each, a clean session, QoS 1, no subscription. */
    public static MqttSettings standard(boolean version5) {
        return new MqttSettings(
                version5,
                Template.of("{id}"),
                Template.of(""),
                Template.of(""),
                true,
                0,
                1,
                Template.of("heartwheel/{id}"),
                Template.of(""));
    }
}
