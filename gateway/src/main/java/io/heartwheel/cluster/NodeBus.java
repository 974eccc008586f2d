package io.heartwheel.cluster;

import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Port to other gateways, each message to one of them. Any thread; nothing blocks. */
public interface NodeBus {
    /**
     * Asks a node.
     *
     * @return its answer, on any thread, within a few seconds; or an {@link EngineException} as the cause: {@link EngineException.Kind#NO_NODE} if it is known that
     *     nobody is there
     */
    CompletionStage<byte[]> request(NodeId to, byte[] message);

    /**
     * Who answers what others ask this node. Once, before anything is asked.
     *
     * @param answers a message to its answer; on a thread of the engine, quick, never throws
     */
    void serve(UnaryOperator<byte[]> answers);
}
