package io.shardway.thrift;

import io.shardway.InvalidArgumentException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.thrift.TBase;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.TServiceClient;
import org.apache.thrift.meta_data.FieldMetaData;

/**
 * One method of a generated service. A request is an instance of the generated class of its
 * arguments, for instance {@code DeliveryService.getBoxes_args}.
 */
final class Endpoint {
  final String name;
  private final Constructor<?> newRequest;
  private final Class<?> requestType;
  private final TFieldIdEnum[] fields;
  private final Method send;

  /** Null for a oneway method. */
  private final Method receive;

  private Endpoint(Method method, Class<?> service, Class<?> client)
      throws ReflectiveOperationException {
    this.name = method.getName();
    this.requestType = nested(service, name + "_args");
    this.newRequest = requestType.getConstructor(method.getParameterTypes());
    this.fields = fields(requestType);
    this.send = client.getMethod("send_" + name, method.getParameterTypes());
    Method answer = null;
    try {
      answer = client.getMethod("recv_" + name);
    } catch (NoSuchMethodException oneway) {
      answer = null;
    }
    this.receive = answer;
  }

  /** The methods of a service, by name; {@code iface} is the generated interface. */
  static Map<String, Endpoint> of(Class<?> iface) {
    Class<?> service = iface.getDeclaringClass();
    Map<String, Endpoint> endpoints = new HashMap<>();
    try {
      if (service == null) {
        throw new ClassNotFoundException("it stands in no class");
      }
      for (Method method : iface.getMethods()) {
        // A method that was inherited belongs to the service that declares it.
        Class<?> owner = method.getDeclaringClass().getDeclaringClass();
        Class<?> client = nested(service, "Client");
        endpoints.put(method.getName(), new Endpoint(method, owner, client));
      }
    } catch (ReflectiveOperationException error) {
      throw new InvalidArgumentException(
          "iface: " + iface.getName() + " is not the Iface of a generated service (" + error + ")",
          "iface");
    }
    return endpoints;
  }

  /** Makes clients over a protocol. */
  static Constructor<?> clients(Class<?> iface) {
    try {
      return nested(iface.getDeclaringClass(), "Client")
          .getConstructor(org.apache.thrift.protocol.TProtocol.class);
    } catch (ReflectiveOperationException error) {
      throw new InvalidArgumentException(
          "iface: " + iface.getName() + " has no generated client (" + error + ")", "iface");
    }
  }

  private static Class<?> nested(Class<?> service, String name) throws ClassNotFoundException {
    return Class.forName(service.getName() + "$" + name, true, service.getClassLoader());
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static TFieldIdEnum[] fields(Class<?> request) {
    Class type = request;
    Map<? extends TFieldIdEnum, FieldMetaData> fields =
        FieldMetaData.getStructMetaDataMap((Class<? extends TBase>) type);
    return fields.keySet().toArray(TFieldIdEnum[]::new);
  }

  static Endpoint find(Map<String, Endpoint> endpoints, String name) {
    Endpoint found = endpoints.get(name);
    if (found == null) {
      throw new InvalidArgumentException(
          "endpoint: the service has no method \""
              + name
              + "\"; it has "
              + String.join(", ", new TreeSet<>(endpoints.keySet())),
          "endpoint");
    }
    return found;
  }

  /** The request of a call. */
  Object request(Object[] arguments) {
    try {
      return newRequest.newInstance(arguments);
    } catch (ReflectiveOperationException | IllegalArgumentException error) {
      throw new InvalidArgumentException(
          name + ": the arguments do not fit the method (" + error + ")", name);
    }
  }

  /** Writes a call. What is thrown came out of the generated code. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  void send(TServiceClient client, Object request) throws Throwable {
    if (!requestType.isInstance(request)) {
      String what = request == null ? "null" : request.getClass().getName();
      throw new IllegalArgumentException(
          "a request of type " + what + "; " + requestType.getName() + " is right");
    }
    Object[] values = new Object[fields.length];
    for (int place = 0; place < values.length; place++) {
      values[place] = ((TBase) request).getFieldValue(fields[place]);
    }
    invoke(send, client, values);
  }

  /** Reads the answer; null for a oneway method, which has none. */
  Object receive(TServiceClient client) throws Throwable {
    return receive == null ? null : invoke(receive, client);
  }

  private static Object invoke(Method method, Object target, Object... values) throws Throwable {
    try {
      return method.invoke(target, values);
    } catch (InvocationTargetException error) {
      throw error.getCause();
    }
  }
}
