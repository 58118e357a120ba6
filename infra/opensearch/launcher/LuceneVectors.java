import java.util.HashMap;
import java.util.Map;
import org.opensearch.index.mapper.Mapper;
import org.opensearch.index.mapper.MapperParsingException;
import org.opensearch.knn.plugin.KNNPlugin;

/**
 * k-NN with vectors of the engine {@code lucene} alone.
 *
 * <p>The plugin's archive brings no native libraries. A field of its default engine, faiss, would
 * be accepted, and its first refresh would end the process, at every later start as well. Here
 * such a mapping is refused with a 400.
 */
public final class LuceneVectors extends KNNPlugin {

  @Override
  public Map<String, Mapper.TypeParser> getMappers() {
    Map<String, Mapper.TypeParser> mappers = new HashMap<>(super.getMappers());
    mappers.computeIfPresent("knn_vector", (type, parser) -> onlyLucene(parser));
    return mappers;
  }

  private static Mapper.TypeParser onlyLucene(Mapper.TypeParser parser) {
    return (name, field, context) -> {
      // without `index.knn` there is no graph, and so no engine
      boolean searched = context.getSettings().getAsBoolean("index.knn", false);
      if (searched && !"lucene".equals(engine(field.get("method")))) {
        throw new MapperParsingException(
            "field [" + name + "]: no native libraries here, method.engine must be lucene");
      }
      return parser.parse(name, field, context);
    };
  }

  private static Object engine(Object method) {
    return method instanceof Map<?, ?> told ? told.get("engine") : null;
  }
}
