//! kube-rs: a kind by derive, server-side apply, finalizers, Events, watches. `vessels scene` plays a scene and prints a line of JSON for
//! each answer of the server; `vessels operator NAMESPACE` is the operator alone, until SIGTERM.

mod exact;
mod operator;
mod scene;
mod vessel;

use kube::Client;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["scene"] => scene::play(client).await,
        ["operator", namespace] => {
            let mut terminated = signal(SignalKind::terminate())?;
            operator::run(client, namespace, async move {
                terminated.recv().await;
            })
            .await;
            Ok(())
        }
        _ => Err("usage: vessels scene | vessels operator NAMESPACE".into()),
    }
}
