package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The fleet, for whoever asks this gateway about it. Any thread; nothing blocks. */
public interface Fleet {
    /** This gateway. */
    NodeId node();

    /** Whether this gateway can tell who is connected to it: it has not stood still since it made sure of it. */
    boolean isSure();

    /** Who is there; fails while nobody can be asked. */
    CompletionStage<List<NodeStatus>> nodes();

    /** Where a device is that is not here. Always answers, within some seconds, on any thread. */
    CompletionStage<Whereabouts> locate(String deviceId);
}
