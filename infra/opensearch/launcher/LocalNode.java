import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.ConsoleAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/**
 * One OpenSearch node on the loopback, with its modules and the k-NN plugin from the class path.
 *
 * <p>Arguments are node settings, {@code key=value}; {@code path.data} must be among them. Prints
 * {@code READY <url> <version> <status>} once the node serves. Properties: {@code local.knn}, the
 * folder of the unpacked plugin; {@code local.trial}, to stop as soon as it is ready;
 * {@code local.follows}, the id of a process that it does not outlive.
 */
public final class LocalNode extends Node {

  private LocalNode(Settings settings, List<PluginInfo> plugins) {
    super(
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "local"),
        plugins,
        false);
  }

  public static void main(String[] arguments) {
    try {
      logToStandardError();
      endOnErrors();
      live(settings(arguments));
    } catch (Throwable failure) {
      // a taken port or data folder, a wrong setting: the node's threads would live on
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void live(Settings settings) throws Exception {
    LocalNode node = new LocalNode(settings, plugins());
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node, closed), "close"));
    followAnother();
    node.start();
    var health = node.client().admin().cluster().prepareHealth().setWaitForYellowStatus();
    String status = health.setTimeout("20s").get().getStatus().name();
    var address = node.injector().getInstance(HttpServerTransport.class).boundAddress();
    int port = address.publishAddress().getPort();
    System.out.printf("READY http://127.0.0.1:%d %s %s%n", port, Version.CURRENT, status);
    System.out.flush();
    if (Boolean.getBoolean("local.trial")) {
      System.exit(0);
    }
    closed.await();
  }

  private static Settings settings(String[] arguments) {
    Settings.Builder chosen =
        Settings.builder()
            .put("cluster.name", "palimpsest-local")
            .put("node.name", "local")
            .put("discovery.type", "single-node")
            .put("transport.port", "0")
            // a write to a name that does not exist is a mistake, never a new index
            .put("action.auto_create_index", "false")
            // a nearly full disk of a laptop must not make indices read-only
            .put("cluster.routing.allocation.disk.threshold_enabled", "false");
    for (String argument : arguments) {
      String[] pair = argument.split("=", 2);
      if (pair.length < 2) {
        throw new IllegalArgumentException("not key=value: " + argument);
      }
      chosen.put(pair[0], pair[1]);
    }
    // last: nobody is asked for a password here, so no argument may open it to a network
    chosen.put("network.host", "127.0.0.1");
    return chosen.put("path.home", chosen.get("path.data")).build();
  }

  private static List<PluginInfo> plugins() throws IOException {
    Properties told = new Properties();
    Path descriptor = Path.of(System.getProperty("local.knn"), "plugin-descriptor.properties");
    try (FileInputStream file = new FileInputStream(descriptor.toFile())) {
      told.load(file);
    }
    String made = told.getProperty("opensearch.version");
    if (!made.equals(Version.CURRENT.toString())) {
      throw new IllegalStateException("k-NN is for " + made + ", the node is " + Version.CURRENT);
    }
    return List.of(
        plugin("transport-netty4", "org.opensearch.transport.Netty4ModulePlugin"),
        plugin("analysis-common", "org.opensearch.analysis.common.CommonAnalysisModulePlugin"),
        plugin("reindex", "org.opensearch.index.reindex.ReindexModulePlugin"),
        plugin("mapper-extras", "org.opensearch.index.mapper.MapperExtrasModulePlugin"),
        plugin("lang-painless", "org.opensearch.painless.PainlessModulePlugin"),
        // it extends Painless by name: that gives its functions to scripts
        plugin(told.getProperty("name"), LuceneVectors.class.getName(), "lang-painless"));
  }

  private static PluginInfo plugin(String name, String type, String... extended) {
    String version = Version.CURRENT.toString();
    return new PluginInfo(
        name, name, version, Version.CURRENT, "21", type, null, List.of(extended), false);
  }

  private static void close(Node node, CountDownLatch closed) {
    try {
      node.close();
    } catch (IOException failure) {
      failure.printStackTrace();
    } finally {
      closed.countDown();
    }
  }

  private static void followAnother() {
    Long pid = Long.getLong("local.follows");
    if (pid != null) {
      ProcessHandle.of(pid)
          .ifPresentOrElse(
              other -> other.onExit().thenRun(() -> System.exit(0)), () -> System.exit(0));
    }
  }

  /** As the distribution's own start does: no memory or a missing library ends the process. */
  private static void endOnErrors() {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> {
          System.err.println("uncaught in " + thread.getName());
          failure.printStackTrace();
          if (failure instanceof Error) {
            Runtime.getRuntime().halt(failure instanceof OutOfMemoryError ? 127 : 1);
          }
        });
  }

  private static void logToStandardError() {
    var log = ConfigurationBuilderFactory.newConfigurationBuilder();
    var layout = log.newLayout("PatternLayout").addAttribute("pattern", "%d %-5p %c{1.} %m%n");
    var console = log.newAppender("console", "Console").add(layout);
    console.addAttribute("target", ConsoleAppender.Target.SYSTEM_ERR);
    log.add(console).add(log.newRootLogger(Level.WARN).add(log.newAppenderRef("console")));
    Configurator.initialize(log.build());
  }
}
