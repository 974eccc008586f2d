package io.heartwheel.cluster;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Port to other gateways, each message to one of them. Any thread; nothing blocks. */
public interface NodeBus {
    /** How long is waited for an answer that needs no time to be found. */
    long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * Asks a node.
     *
     * @param patienceNanos how long is waited for the answer
     * @return its answer, on any thread, within that and a moment; or an {@link EngineException} as the cause: {@link EngineException.Kind#NO_NODE} if it is known
     *     that nobody is there
     */
    CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos);

    /** The same, for {@link #PATIENCE_NANOS}. */
    default CompletionStage<byte[]> request(NodeId to, byte[] message) {
        return request(to, message, PATIENCE_NANOS);
    }

    /**
     * Who answers what others ask this node. Once, before anything is asked.
     *
     * @param answers a message to its answer, which may come later, or never; on a thread of the engine, quick, never throws
     */
    void serve(Function<byte[], CompletionStage<byte[]>> answers);

    /** The most bytes of a message, either way, as far as is known now. */
    long maxMessageBytes();
}
