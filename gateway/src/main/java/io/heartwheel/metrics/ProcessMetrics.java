package io.heartwheel.metrics;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.Version;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.BufferPoolsExports;
import io.prometheus.client.hotspot.ClassLoadingExports;
import io.prometheus.client.hotspot.GarbageCollectorExports;
import io.prometheus.client.hotspot.MemoryAllocationExports;
import io.prometheus.client.hotspot.MemoryPoolsExports;
import io.prometheus.client.hotspot.ThreadExports;
import io.prometheus.client.hotspot.VersionInfoExports;
import java.util.ArrayList;
import java.util.List;

/** The process around the gateway: the build, Netty's buffers, and all that the client tells of the JVM. Any thread. */
final class ProcessMetrics extends Collector {
    private final String version;
    private final String transport;
    private final String nettyVersion;

    ProcessMetrics(CollectorRegistry registry, String version, String transport) {
        this.version = version;
        this.transport = transport;
        Version netty = Version.identify(Version.class.getClassLoader()).get("netty-common");
        nettyVersion = netty == null ? "unknown" : netty.artifactVersion();
        new ProcessExports().register(registry);
        new MemoryPoolsExports().register(registry);
        new MemoryAllocationExports().register(registry);
        new BufferPoolsExports().register(registry);
        new GarbageCollectorExports().register(registry);
        new ThreadExports().register(registry);
        new ClassLoadingExports().register(registry);
        new VersionInfoExports().register(registry);
        register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<MetricFamilySamples> page = new ArrayList<>();
        page.add(new Family(Metric.BUILD_INFO)
                .add(1, version, nettyVersion, transport)
                .samples());
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            ByteBufAllocatorMetric metric = allocator.metric();
            String kind = kind(ByteBufAllocator.DEFAULT);
            page.add(new Family(Metric.BUFFER_MEMORY_BYTES)
                    .add(metric.usedDirectMemory(), kind, "direct")
                    .add(metric.usedHeapMemory(), kind, "heap")
                    .samples());
        }
        return page;
    }

    private static String kind(ByteBufAllocator allocator) {
        if (allocator instanceof PooledByteBufAllocator) {
            return "pooled";
        }
        return allocator instanceof AdaptiveByteBufAllocator ? "adaptive" : "other";
    }
}
