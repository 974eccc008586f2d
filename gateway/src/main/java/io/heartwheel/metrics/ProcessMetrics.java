package io.heartwheel.metrics;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.Version;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.BufferPoolsExports;
import io.prometheus.client.hotspot.ClassLoadingExports;
import io.prometheus.client.hotspot.GarbageCollectorExports;
import io.prometheus.client.hotspot.MemoryAllocationExports;
import io.prometheus.client.hotspot.MemoryPoolsExports;
import io.prometheus.client.hotspot.ThreadExports;
import io.prometheus.client.hotspot.VersionInfoExports;

/** Metrics of the process around the gateway: the build, Netty's buffers, and what the Prometheus client tells of the JVM. */
final class ProcessMetrics {
    private ProcessMetrics() {}

    static void add(CollectorRegistry registry, Readings readings, String version, String transport) {
        new ProcessExports().register(registry);
        new MemoryPoolsExports().register(registry);
        new MemoryAllocationExports().register(registry);
        new BufferPoolsExports().register(registry);
        new GarbageCollectorExports().register(registry);
        new ThreadExports().register(registry);
        new ClassLoadingExports().register(registry);
        new VersionInfoExports().register(registry);
        Version netty = Version.identify(Version.class.getClassLoader()).get("netty-common");
        String nettyVersion = netty == null ? "unknown" : netty.artifactVersion();
        readings.addSeries(Metric.BUILD_INFO, family -> family.add(1, version, nettyVersion, transport));
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            ByteBufAllocatorMetric metric = allocator.metric();
            String kind = kind(ByteBufAllocator.DEFAULT);
            readings.addSeries(
                    Metric.BUFFER_MEMORY_BYTES, family -> family.add(metric.usedDirectMemory(), kind, "direct")
                            .add(metric.usedHeapMemory(), kind, "heap"));
        }
    }

    private static String kind(ByteBufAllocator allocator) {
        if (allocator instanceof PooledByteBufAllocator) {
            return "pooled";
        }
        return allocator instanceof AdaptiveByteBufAllocator ? "adaptive" : "other";
    }
}
