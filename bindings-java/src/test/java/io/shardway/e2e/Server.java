package io.shardway.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.shardway.delivery.AException;
import io.shardway.delivery.AddrInfo;
import io.shardway.delivery.Box;
import io.shardway.delivery.DeliveryService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.layered.TFramedTransport;

/** One DeliveryService server: {@code Server --folder DIR [--port N]}; see tests/e2e/README.md. */
public final class Server {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_DELAY_MS = 60_000;

  private Server() {}

  private static final class Handler implements DeliveryService.Iface {
    private final Path folder;

    Handler(Path folder) {
      this.folder = folder;
    }

    private void enter(String endpoint, List<String> names) throws AException {
      try {
        String line = JSON.writeValueAsString(Map.of("endpoint", endpoint, "names", names)) + "\n";
        synchronized (this) {
          Files.writeString(
              folder.resolve("calls.jsonl"),
              line,
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
        }
        JsonNode behaviour;
        try {
          behaviour = JSON.readTree(Files.readString(folder.resolve("behaviour.json")));
        } catch (NoSuchFileException usual) {
          return;
        }
        Thread.sleep(Math.min(behaviour.path("delay_ms").asLong(0), MAX_DELAY_MS));
        if (behaviour.path("crash").asBoolean()) {
          throw new IllegalStateException("told to crash");
        }
        if (behaviour.has("error_code")) {
          throw new AException(behaviour.get("error_code").intValue());
        }
      } catch (IOException | InterruptedException error) {
        throw new IllegalStateException(error);
      }
    }

    @Override
    public Box getBox(AddrInfo addrInfo, byte passcode) throws AException {
      enter("getBox", List.of(addrInfo.getName()));
      return new Box(addrInfo, "hi");
    }

    @Override
    public List<Box> getBoxes(List<AddrInfo> listAddrInfo, byte passcode) throws AException {
      enter("getBoxes", listAddrInfo.stream().map(AddrInfo::getName).toList());
      List<Box> boxes = new ArrayList<>();
      listAddrInfo.forEach(one -> boxes.add(new Box(one, "size: " + listAddrInfo.size())));
      return boxes;
    }

    @Override
    public String sendBox(Box box) throws org.apache.thrift.TException {
      enter("sendBox", List.of(box.getAddrInfo().getName()));
      return box.getItem();
    }

    @Override
    public String sendBoxes(List<Box> boxes) throws org.apache.thrift.TException {
      enter("sendBoxes", boxes.stream().map(box -> box.getAddrInfo().getName()).toList());
      return boxes.stream().map(Box::getItem).collect(Collectors.joining(","));
    }
  }

  /** Serves until standard input ends. */
  public static void main(String[] arguments) throws Exception {
    Path folder = null;
    int port = 0;
    for (int at = 0; at + 1 < arguments.length; at += 2) {
      switch (arguments[at]) {
        case "--folder" -> folder = Path.of(arguments[at + 1]);
        case "--port" -> port = Integer.parseInt(arguments[at + 1]);
        default -> throw new IllegalArgumentException("unknown option " + arguments[at]);
      }
    }
    if (folder == null) {
      throw new IllegalArgumentException("--folder is missing");
    }
    TServerSocket socket =
        new TServerSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    DeliveryService.Processor<Handler> processor =
        new DeliveryService.Processor<>(new Handler(folder));
    TThreadPoolServer server =
        new TThreadPoolServer(
            new TThreadPoolServer.Args(socket)
                .processor(processor)
                .transportFactory(new TFramedTransport.Factory())
                .protocolFactory(new TBinaryProtocol.Factory())
                .minWorkerThreads(0));
    Thread parent =
        new Thread(
            () -> {
              try {
                System.in.transferTo(java.io.OutputStream.nullOutputStream());
              } catch (IOException gone) { // it ends all the same
                Runtime.getRuntime().halt(1);
              }
              Runtime.getRuntime().halt(0);
            });
    parent.setDaemon(true);
    parent.start();
    System.out.println("PORT " + socket.getServerSocket().getLocalPort());
    server.serve();
  }
}
