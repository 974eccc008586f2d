package io.heartwheel.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamState;
import java.util.ArrayList;
import java.util.List;

/** A stream of a real nats-server, as an operator makes it and a consumer reads it; each call connects anew. */
public final class NatsStream {
    private NatsStream() {}

    private interface Use<T> {
        T of(JetStreamManagement streams) throws Exception;
    }

    private static <T> T with(NatsServer server, Use<T> use) throws Exception {
        try (Connection connection = Nats.connect(
                Options.builder().server(server.url()).noReconnect().build())) {
            return use.of(connection.jetStreamManagement());
        }
    }

    /** @param mostBytes of a message; -1: as the server */
    public static void make(NatsServer server, String name, String subjects, int mostBytes) throws Exception {
        StreamConfiguration stream = StreamConfiguration.builder()
                .name(name)
                .subjects(subjects)
                .maximumMessageSize(mostBytes)
                .build();
        with(server, streams -> streams.addStream(stream));
    }

    /** Keeps a message in it. */
    public static void publish(NatsServer server, String subject, byte[] message) throws Exception {
        try (Connection connection = Nats.connect(
                Options.builder().server(server.url()).noReconnect().build())) {
            connection.jetStream().publish(subject, message);
        }
    }

    /** Deletes it with all it has. */
    public static void delete(NatsServer server, String name) throws Exception {
        with(server, streams -> streams.deleteStream(name));
    }

    /** Says how much it may have at most, in bytes; -1: as much as it likes. */
    public static void limit(NatsServer server, String name, long mostBytes) throws Exception {
        with(
                server,
                streams -> streams.updateStream(
                        StreamConfiguration.builder(streams.getStreamInfo(name).getConfiguration())
                                .maxBytes(mostBytes)
                                .build()));
    }

    /** How many it has. */
    public static long messages(NatsServer server, String name) throws Exception {
        return with(
                server, streams -> streams.getStreamInfo(name).getStreamState().getMsgCount());
    }

    /** All of it in order, each the JSON of its payload. */
    public static List<JsonNode> read(NatsServer server, String name) throws Exception {
        return with(server, streams -> {
            List<JsonNode> all = new ArrayList<>();
            ObjectMapper json = new ObjectMapper();
            StreamState state = streams.getStreamInfo(name).getStreamState();
            for (long at = state.getFirstSequence(); at <= state.getLastSequence(); at++) {
                MessageInfo message = streams.getMessage(name, at);
                all.add(json.readTree(message.getData()));
            }
            return all;
        });
    }
}
